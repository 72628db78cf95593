import { specificNames } from '../../text/names.ts'
import { valuesIn } from '../../text/values.ts'
import type { State } from '../packet/state.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

type Count = (text: string) => number

/** How a view reads a state. It asks for the same again and again, within a packet and from turn to turn. */
export interface Reader {
  /** The tokens of a text; of a line with its end. */
  readonly count: Count
  readonly costOfLine: Count
  /** The specific names in a text, in lower case. */
  readonly namesIn: (text: string) => readonly string[]
  /** What a function finds in a part of the state, looked for once. Parts never change; the function is always the same. */
  once<Part extends object, Found>(part: Part, find: (part: Part, reader: Reader) => Found): Found
}

const REMEMBERED_MAX = 30_000
/** Longer texts are whole packets, which hardly ever come again. */
const REMEMBERED_CHARS_MAX = 1_000

/** A tokenizer as views need it. What was read is remembered: most of a packet was in the one before. */
export function readerOf(tokenizer: Tokenizer): Reader {
  const found = new Map<unknown, WeakMap<object, unknown>>()
  const count = remembering(tokenizer.count)
  const reader: Reader = {
    count,
    costOfLine: (line) => count(line) + 1,
    namesIn: remembering(specificNames),
    once<Part extends object, Found>(part: Part, find: (part: Part, reader: Reader) => Found): Found {
      const own = (found.get(find) ?? new WeakMap()) as WeakMap<Part, Found>
      found.set(find, own)
      const value = own.get(part) ?? find(part, reader)
      own.set(part, value)
      return value
    },
  }
  return reader
}

function remembering<Found>(find: (text: string) => Found): (text: string) => Found {
  const known = new Map<string, Found>()
  return (text) => {
    if (text.length > REMEMBERED_CHARS_MAX) return find(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const value = find(text)
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(text, value)
    return value
  }
}

/** A line's names add up to this at the most. */
const INTEREST_MAX = 60

/** How much a line speaks of the work at hand: by the names that it shares with what was last thought, called and asked. */
export function interestOf(state: State, { namesIn }: Reader): (line: string) => number {
  // Made when a line is asked for: in a packet that holds everything none is.
  let weights: ReadonlyMap<string, number> | undefined
  return (line) => {
    weights ??= weightsOf(state, namesIn)
    let sum = 0
    for (const name of namesIn(line)) sum += weights.get(name) ?? 0
    return Math.min(sum, INTEREST_MAX)
  }
}

function weightsOf(state: State, namesIn: Reader['namesIn']): ReadonlyMap<string, number> {
  const { goal, person, plan, thoughts, diagnostics, last_error, actions } = state
  const values = (sourced: readonly { readonly value: string }[]) => sourced.map(({ value }) => value)
  const active = plan.flatMap(({ text, status }) => (status === 'active' ? [text] : []))
  const weights = new Map<string, number>()
  // What weighs more comes later.
  for (const [weight, texts] of [
    [8, [goal.value]],
    [12, [...values(thoughts.slice(-3, -1)), ...actions.slice(-4).map(({ args }) => valuesIn(args))]],
    [20, [...values(person.slice(-1)), ...values(diagnostics), last_error?.value ?? '', ...active]],
    [30, values(thoughts.slice(-1))],
  ] as const)
    for (const text of texts) for (const name of namesIn(text)) weights.set(name, weight)
  return weights
}
