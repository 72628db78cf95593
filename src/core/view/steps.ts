import { cutMiddle } from '../../text/cut.ts'
import { isNumber, specificNames } from '../../text/names.ts'
import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import { cap } from '../packet/caps.ts'
import type { PacketStep } from '../packet/packet.ts'
import type { Action, Origin, State, Words } from '../packet/state.ts'
import { callText, resultOf, type UsualArg, usualArgs } from './call.ts'
import { OUTPUT, THOUGHT, WORDS } from './cut.ts'
import { answersIn, originIn } from './items.ts'
import { FENCE, fenced, indented, type OutlineLine } from './render.ts'
import type { Desk, Item, Passage } from './section.ts'

/** The weight of the newest step's texts; of the steps before it they count less and less, but never nothing. */
const NEWEST = 1800
const OLDER = 80
/** What the person's last words answer counts at least this much. */
const ANSWERED = 220
/** The last steps are told before all others. */
const STEPS_FIRST = 10
/** With less, a step before the newest is rather told in its line. */
const TOKENS_MIN = 40
/** Of what is too long for a line, its beginning says what was done, its end how that ended. */
const LINE_CHARS = 200

/** The steps, the most telling first: a line each, and of the last ones what was said, called and given. */
export function stepItems(desk: Desk): Item<PacketStep>[] {
  const { state, limit } = desk
  const said = wordsBefore(state)
  const latest = state.actions.toReversed()
  const ages = new Map(latest.map((action, age) => [action, age]))
  const newestWith = new Map(state.actions.map((action) => [action.output, action]))
  // No packet has space for more.
  const inFull = Math.min(cap(state.settings, 'window_actions'), Math.floor(limit / TOKENS_MIN))
  const planned = new Set(state.plan.map(({ ref }) => ref))
  const usual = desk.reader.once(state.actions, usualArgs)
  const unheard = said.get(0) ?? []
  const words = { ...itemOf(undefined, unheard), needsText: true, texts: wordsIn(unheard, 0) }
  const steps = inOrder(latest, state).map((action) => {
    const age = ages.get(action) ?? 0
    const led = said.get(action.ref) ?? []
    // A plan is shown by itself.
    const isPlan = age > 0 && planned.has(action.ref)
    const isRepeated = newestWith.get(action.output) !== action
    const call = isPlan || age >= inFull ? [] : callIn(action, age, isRepeated, desk, usual)
    return {
      ...itemOf(action, led),
      needsText: isPlan,
      texts: age < inFull ? [...wordsIn(led, age), ...call] : [],
    }
  })
  return unheard.length > 0 ? [words, ...steps] : steps
}

/**
 * The last steps; then the last of each kind, as a check is, what else was done, and what was only looked at or changed a
 * file that is told of by itself.
 */
function inOrder(latest: readonly Action[], { changed }: State): readonly Action[] {
  const told = new Set(changed.map(({ ref }) => ref))
  const done = latest.slice(STEPS_FIRST).filter(({ looked, ref }) => !looked && !told.has(ref))
  const kinds = Map.groupBy(done, ({ summary }) => summary.split(' ', summary[0] === '$' ? 4 : 2).join(' '))
  const last = [...kinds.values()].flatMap(([one]) => one ?? [])
  return [...new Set([...latest.slice(0, STEPS_FIRST), ...last, ...done, ...latest])]
}

function wordsIn(words: readonly Words[], age: number): Passage<PacketStep>[] {
  if (words.length === 0) return []
  const text = { lines: words.flatMap(({ value }) => value.split('\n')), kind: THOUGHT }
  const put = (step: PacketStep, said: string): PacketStep => ({ ...step, said })
  return [{ text, weight: weightOf(age), least: age === 0 ? 0 : TOKENS_MIN >> 1, put }]
}

function callIn(
  action: Action,
  age: number,
  isRepeated: boolean,
  { state: { person } }: Desk,
  usual: readonly UsualArg[],
): Passage<PacketStep>[] {
  const call = callText(action, usual).split('\n')
  const first = call[0]?.slice(0, TOKENS_MIN) ?? ''
  // What the person answered stands among their words.
  const summary = person.some(({ ref }) => ref === action.ref + 1) ? '' : resultOf(action)
  const isAnswered = person.at(-1)?.ref === action.ref + 1
  const least = age === 0 ? 0 : TOKENS_MIN
  const output: Passage<PacketStep> = {
    text: { lines: action.output.split('\n'), kind: OUTPUT, highlights: action.highlights },
    // What a newer step gave too stands there.
    weight: isRepeated ? 1 : weightOf(age),
    least,
    put: (step, text) => ({ ...step, output: text }),
  }
  return [
    {
      text: { lines: call, kind: WORDS },
      weight: Math.max(weightOf(age), isAnswered ? ANSWERED : 0),
      least,
      // Cut where it begins, or with nothing else left of it, it would say less than its line.
      put: (step, text) =>
        text.startsWith(first) && !/^[^\n]*\n⋮[^\n]*$/.test(text) ? { ...step, call: text, summary } : step,
    },
    ...(action.output === '' ? [] : [output]),
  ]
}

const weightOf = (age: number): number => (age === 0 ? NEWEST : Math.ceil(OLDER / Math.sqrt(age)))

/** The model's words by the step that they led to, under 0 those that led to none yet; what it told people stands by itself. */
function wordsBefore(state: State): Map<number, Words[]> {
  const { actions, thoughts } = state
  const answers = new Set(answersIn(state))
  let at = 0
  const others = thoughts.filter((words) => !answers.has(words))
  return Map.groupBy(others, ({ ref }) => {
    while (at < actions.length && (actions[at]?.ref ?? 0) < ref) at++
    return actions[at]?.ref ?? 0
  })
}

/** A step as a line; words that led to none yet are one too. */
function itemOf(action: Action | undefined, said: readonly Words[] = []): Item<PacketStep> {
  const { turn, ref } = action ?? said.at(-1) ?? { turn: 0, ref: 1 }
  const { tool, summary, outcome } = action ?? { tool: '', summary: '', outcome: null }
  const line = cutMiddle(summary || tool, LINE_CHARS)
  return {
    key: ref,
    value: { turn, said: '', tool, call: '', summary: line, outcome, output: '', ref },
    originsOf: (path, step) =>
      action && path[0] !== 'said'
        ? originsIn(action, path, step)
        : said.map((words) => originIn(words.ref, '/data/text', path)),
  }
}

function originsIn(
  { ref, called, summary, tool }: Action,
  path: readonly string[],
  { call }: PacketStep,
): Origin[] {
  const [field = ''] = path
  if (field === 'call') {
    // Its tool stands first, unless that was cut off; the rest are arguments.
    const args = call.startsWith(tool) ? call.slice(tool.length).trim() : call
    return [
      ...(call.startsWith(tool) ? [{ seq: called, field: '/data/tool', part: tool }] : []),
      ...(args === '' ? [] : [{ seq: called, field: '/data/args', part: args }]),
    ]
  }
  // No delta speaks of it: the call without a result, or a result that says no more than its outcome.
  if (field === 'tool' || (field === 'summary' && summary === ''))
    return [{ seq: called, field: '/data/tool' }]
  if (summary === '' && field === 'outcome')
    return ref === called ? [] : [{ seq: ref, field: '/data/outcome' }]
  return [originIn(ref, '/delta/add_action/0/', path)]
}

const ENDED = { success: '', error: 'FAILED', partial: 'PARTLY' } as const

/** A step as text: what was said, the call, how it ended and what it gave. */
export function stepLines(step: PacketStep): OutlineLine[] {
  const { ref, said, call, output, tool } = step
  const words: OutlineLine[] =
    said === '' ? [] : [['- you said:', 'said'], ...indented(said, '  ', '  ', 'said')]
  if (tool === '') return words
  const gave = output === '' ? [] : fenced(output).map((line): OutlineLine => [line, 'output', line])
  const given: OutlineLine[] = gave.length === 0 ? [] : [[FENCE], ...gave, [FENCE]]
  const told = toldOf(step)
  if (call === '') return [...words, [`- #${ref} ${told}`, 'summary'], ...given]
  const result = saysItself(step) ? '' : told
  const [first = '', ...rest] = sanitizeText(call).split('\n')
  if (rest.length === 0 && gave.length === 0)
    return [...words, [`- #${ref} ${first}${result === '' ? '' : ` → ${result}`}`, 'call', first]]
  return [
    ...words,
    [`- #${ref} ${first}`, 'call', first],
    ...rest.map((line): OutlineLine => [`  ${line}`, 'call', line]),
    ...(result === '' ? [] : [[`  → ${result}`, 'summary'] as const]),
    ...given,
  ]
}

/** How it ended and what came of it. That it failed is said once, and so is what the output below says. */
function toldOf({ call, outcome, summary, output }: PacketStep): string {
  if (outcome === null) return `NO RESULT YET ${sanitizeLine(summary)}`.trimEnd()
  const line = outcome === 'error' ? summary.replace(/(^|: )failed, /, '$1') : summary
  const isSaid = output !== '' && saysError(line, output)
  const unsaid = !isSaid ? line : call === '' || QUOTE.test(line) ? line.replace(QUOTE, '') : ''
  return [ENDED[outcome], sanitizeLine(unsaid)].filter((part) => part !== '').join(': ')
}

/** What a sentence quotes at its end: words without quotation marks, which may be cut. */
const QUOTE = /(?:^|[:,] )"([^"]+)"$/

/** Whether an output says an error, or what that quotes. */
export function saysError(error: string, output: string): boolean {
  const [, quote = error] = QUOTE.exec(error) ?? []
  const text = output.replaceAll('"', "'")
  return quote.split('…').every((part) => text.includes(part.trim().replaceAll('"', "'")))
}

/** Whether call and output show all that the sentence of a success quotes or names. */
function saysItself({ outcome, call, output, summary }: PacketStep): boolean {
  if (outcome !== 'success') return false
  const [, quote] = /^"(.+?)…?"$/.exec(summary) ?? []
  if (quote !== undefined) return output.includes(quote)
  const names = specificNames(summary).filter((name) => output !== '' || !isNumber(name))
  const shown = `${call}\n${output}`.toLowerCase()
  return names.length > 0 && names.every((name) => shown.includes(name))
}
