import type { Delta } from '../core/event/delta.ts'
import type { Lesson } from '../core/memory/learner.ts'
import type { State } from '../core/packet/state.ts'
import { isSamePath } from '../text/paths.ts'
import type { Program } from '../text/shell.ts'
import { readCall } from './call/call.ts'
import type { CallMeaning } from './call/intent.ts'
import type { Observation } from './summarizer.ts'

/**
 * What came back partly has failed as well. Not so a check that only lists problems: before any change they are what there
 * is to do, and a tool that states them as open has worked.
 */
export function failedPartly({ own, state }: Observation, { delta, outcome }: Lesson): string[] {
  const { add_action = [], add_diagnostics, add_failed_attempt = [] } = delta
  const isFirst = add_diagnostics !== undefined && !state?.changed.length
  return outcome === 'partial' &&
    add_failed_attempt.length === 0 &&
    !isFirst &&
    own?.diagnostics === undefined
    ? add_action.slice(-1).map(({ summary }) => summary)
    : []
}

const LATER_CHARS_MAX = 120

/** Attempts at the same that failed before. */
export function settledBy(
  call: CallMeaning,
  { add_action = [] }: Delta,
  { failed_attempts, actions }: State,
): NonNullable<Delta['explain_attempts']> {
  const summary = add_action.at(-1)?.summary ?? ''
  const open = failed_attempts.filter(({ later, from }) => !later && from === 'tool')
  const byRef = new Map(open.length > 0 ? actions.map((action) => [action.ref, action]) : [])
  const settled = open.filter(({ ref }) => {
    const before = byRef.get(ref)
    return before !== undefined && triesAgain(call, readCall(before.tool, before.args))
  })
  return [...new Set(settled.map(({ ref }) => ref))].map((ref) => ({
    ref,
    later: summary.slice(0, LATER_CHARS_MAX),
  }))
}

/** They accompany what a command is for. */
const BESIDE = new Set('echo printf mkdir ls touch'.split(' '))
const WORD = /^[a-z][\w:-]*$/i
/** What a command that is told to look at everything says. */
const ALL = /^(?:\.{1,3}|.*[/\\]\.\.\.)$/

/**
 * The same file is changed, or half of what was run before, or more, is run: the same programs with the same words, and at
 * one of the same places.
 */
function triesAgain({ intent, programs }: CallMeaning, before: CallMeaning): boolean {
  if (intent.kind === 'change')
    return (
      intent.verb !== 'remove' &&
      before.intent.kind === 'change' &&
      isSamePath(intent.path, before.intent.path)
    )
  const now = programs.flatMap(([first]) => first ?? [])
  const then = before.programs.flatMap(([first]) => (first && !BESIDE.has(first.name) ? [first] : []))
  const again = then.filter((one) => now.some((other) => repeats(other, one)))
  return then.length > 0 && again.length * 2 >= then.length
}

function repeats(now: Program, before: Program): boolean {
  const [mine, its] = [partsOf(now), partsOf(before)]
  const [few = mine.words, many = its.words] = [mine.words, its.words].sort((a, b) => a.size - b.size)
  return (
    now.input === before.input &&
    [...few].every((word) => many.has(word)) &&
    (mine.places.length === 0 || mine.places.some((place) => ALL.test(place) || its.places.includes(place)))
  )
}

function partsOf({ name, args, into }: Program) {
  const plain = args.filter((arg) => !arg.startsWith('-'))
  return {
    words: new Set([name, ...plain.filter((arg) => WORD.test(arg))]),
    places: [...plain.filter((arg) => !WORD.test(arg)), ...(into === undefined ? [] : [into])],
  }
}
