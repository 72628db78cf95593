import { isDefinition } from '../../../text/definitions.ts'
import { isSpecific, writtenNames } from '../../../text/names.ts'
import { valuesIn } from '../../../text/values.ts'
import type { Action, Region, Sourced } from '../../packet/state.ts'
import type { Desk } from './part.ts'

/** Something that was named before and may be needed again. */
export interface Named {
  readonly key: string
  /** As it was written. */
  readonly name: string
  /** The step that named it last, how many steps ago that was, and the file that it stood in. */
  readonly ref: number
  readonly age: number
  readonly path: string
  /** How many calls gave it. */
  calls: number
  /** How often the model spoke since it spoke of it; undefined where it never did. */
  said: number | undefined
}

/** The steps that are looked at, and how much of each. */
const STEPS_MAX = 80
const CALL_CHARS_MAX = 3_000
const OUTPUT_CHARS_MAX = 6_000

/** What calls, outputs and files named, the likeliest to be needed again first. */
export function namedBefore({ state, once }: Desk): Named[] {
  const { actions, files, thoughts, goal } = state
  const named = new Map<string, Named>()
  const ages = new Map<number, number>()
  const see = (names: ReadonlyMap<string, string>, ref: number, path: string, calls: number): void => {
    const age = ages.get(ref) ?? actions.length
    for (const [key, name] of names) {
      const known = named.get(key)
      if (known) known.calls += calls
      else named.set(key, { key, name, ref, age, path, calls, said: undefined })
    }
  }
  for (const [at, { ref }] of actions.entries()) ages.set(ref, actions.length - 1 - at)
  for (const action of actions.slice(-STEPS_MAX).reverse()) {
    see(once(action, inCall), action.ref, '', 1)
    see(once(action, inOutput), action.ref, '', 0)
  }
  for (const { path, regions } of Object.values(files).reverse())
    for (const region of regions) see(once(region, inRegion), region.ref, path, 0)
  for (const [ago, words] of thoughts.slice(-STEPS_MAX).reverse().entries())
    for (const key of once(words, inWords).keys()) {
      const known = named.get(key)
      if (known) known.said ??= ago
    }
  for (const key of once(goal, inWords).keys()) named.delete(key)
  const scored = [...named.values()].map((one) => ({ one, score: scoreOf(one) }))
  return scored.sort((a, b) => b.score - a.score).map(({ one }) => one)
}

/** In thirds of a bit: integers, as all in a view. */
const log = (n: number): number => 31 - Math.clz32((n + 1) ** 3)

/** Files are needed again; commits, dates, versions and long numbers hardly. */
const kindOf = (name: string): number => (FILE.test(name) ? 12 : 0) - (DIGITS.test(name) ? 16 : 0)
const FILE = /\.[a-z]{1,4}$/
const DIGITS = /^[\da-f.:T-]*\d[\da-f.:T-]*$|\d{3}/i

/** The names of the next call are first those that the model spoke of; then what calls gave often, and what was seen lately. */
function scoreOf({ name, age, calls, said }: Named): number {
  const spoken = said === undefined ? 0 : 48 - 2 * log(said)
  const used = calls > 0 ? 8 * log(calls) - log(age) : -((log(age) * log(age)) >> 3)
  return spoken + used + kindOf(name) - 3 * log(name.length >> 2)
}

const inCall = ({ args }: Action): ReadonlyMap<string, string> =>
  namesIn(valuesIn(args).slice(0, CALL_CHARS_MAX))
const inOutput = ({ output }: Action): ReadonlyMap<string, string> =>
  namesIn(output.slice(0, OUTPUT_CHARS_MAX))
const inRegion = ({ lines }: Region): ReadonlyMap<string, string> =>
  namesIn(lines.filter(isDefinition).join('\n'))
const inWords = ({ value }: Sourced<string>): ReadonlyMap<string, string> => namesIn(value)

/** Numbers, rules across a page, `e.g`, `rw-r--r`, and the fields of a line such as `root:x:0:0`, which may be secret. */
const NO_NAME = /^[\d_.rwx-]+$|^.\..$|(?<!:):(?!\/\/)[^:]+:(?!:)/
/** How a diff names the two sides, and the line behind the name of a file. */
const AROUND_PATH = /^[ab]\/|(?::\d+)+$/g

function namesIn(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [key, name] of writtenNames(text))
    names.set(key.replace(AROUND_PATH, ''), name.replace(AROUND_PATH, ''))
  for (const [key, name] of names) {
    const last = key.slice(Math.max(key.lastIndexOf('/'), key.lastIndexOf(':')) + 1)
    if (last !== key) names.delete(last)
    if (NO_NAME.test(name) || !isSpecific(name)) names.delete(key)
    else if (name.includes('/') && isFromRoot(name, text)) names.set(key, `/${name}`)
  }
  return names
}

/** Whether a path was found without its first slash. */
function isFromRoot(name: string, text: string): boolean {
  const at = text.indexOf(`/${name}`)
  return at >= 0 && !/[\w.~-]/.test(text[at - 1] ?? '')
}
