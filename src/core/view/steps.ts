import { cutMiddle } from '../../text/cut.ts'
import { onOneLine } from '../../text/lines.ts'
import { isNumber, specificNames } from '../../text/names.ts'
import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import { cap } from '../packet/caps.ts'
import type { PacketStep } from '../packet/packet.ts'
import type { Action, Origin, Words } from '../packet/state.ts'
import { callText, constantsIn, resultOf, withoutFolders } from './call.ts'
import { OUTPUT, THOUGHT, WORDS } from './cut.ts'
import { FENCE, fenced, indented } from './render.ts'
import type { Desk, Item } from './row.ts'

/** Weights of the newest step's parts; of the steps before it those parts count less and less. */
const NEWEST = { said: 1400, call: 1800, output: 2200 }
const OLDER = { said: 100, call: 270, output: 200 }
/** What the person's last words answer counts at least this much. */
const ANSWERED = 220
/** The last steps are told before all others. */
const STEPS_FIRST = 10
/** With less, a call is rather told in its line. */
const CALL_TOKENS_MIN = 40
/** Of what is too long for a line, its beginning says what was done, its end how that ended. */
const LINE_CHARS = 110
const COMMAND_CHARS = 160
/** Steps behind more text than this for each token of the limit are told in a line: no packet shows more. */
const CHARS_PER_TOKEN = 8

/** A line for each step, the most telling first; by themselves the words, calls and outputs of the last ones. */
export function stepItems(desk: Desk): Item<PacketStep>[] {
  const { state, limit, reader } = desk
  const { actions, person } = state
  const answer = person.at(-1)?.ref ?? 0
  const answers = new Set(person.map(({ ref }) => ref))
  const constant = constantsIn(actions)
  const said = wordsBefore(state)
  const items = linesFirst(actions)
    .slice(0, limit >> 3)
    .map((action) => lineItem(reader.once(action, lineOf), action, said.get(action.ref)))
  for (const words of said.get(0) ?? []) items.push(wordsItem(words, undefined, 0))
  let left = limit * CHARS_PER_TOKEN
  const called = new Set<string>()
  for (const [age, action] of actions.slice(-cap(state.settings, 'window_actions')).reverse().entries()) {
    if (left <= 0) break
    const own = said.get(action.ref) ?? []
    const isAnswered = action.ref === answer - 1 || own.some(({ ref }) => ref === answer - 1)
    for (const words of own) items.push(wordsItem(words, action, age))
    const planned = age > 0 && state.plan.some(({ ref }) => ref === action.ref)
    const call = planned ? action.tool : callText(action, called.has(action.tool) ? constant : undefined)
    called.add(action.tool)
    // What the person answered stands among their words.
    items.push(callItem(action, call, answers.has(action.ref + 1), age, isAnswered))
    if (action.output !== '') items.push(outputItem(action, age, desk))
    // A long output does not hide the calls before it.
    left -= Math.min(call.length + action.output.length, limit >> 1)
  }
  return items
}

/** The model's words by the step that they led to; under 0 those that led to none yet. */
function wordsBefore({ actions, thoughts }: Desk['state']): Map<number, Words[]> {
  const said = new Map<number, Words[]>()
  let at = 0
  for (const words of thoughts) {
    while (at < actions.length && (actions[at]?.ref ?? 0) < words.ref) at++
    const ref = actions[at]?.ref ?? 0
    said.set(ref, [...(said.get(ref) ?? []), words])
  }
  return said
}

/** The last steps; of those before them the last of each kind, what was done, and what was only looked at. */
function linesFirst(actions: readonly Action[]): Action[] {
  const newest = actions.toReversed()
  const older = newest.slice(STEPS_FIRST)
  const done = older.filter(({ looked }) => !looked)
  const kinds = Map.groupBy(done, ({ summary }) =>
    summary.split(' ', summary.startsWith('$ ') ? 4 : 2).join(' '),
  )
  const last = [...kinds.values()].flatMap(([one]) => one ?? [])
  const commands = last.filter(({ summary }) => summary.startsWith('$ '))
  return [...new Set([...newest.slice(0, STEPS_FIRST), ...commands, ...last, ...done, ...older])]
}

const weightOf = (part: keyof typeof NEWEST, age: number): number =>
  age === 0 ? NEWEST[part] : Math.floor(OLDER[part] / (part === 'call' ? age + 2 : age))

const lineItem = (line: PacketStep, action: Action, said: readonly Words[] = []): Item<PacketStep> => ({
  key: line.ref,
  price: line,
  add: (step = line) => step,
  originsOf: ([field], step) =>
    field === 'said'
      ? said.map(({ ref }) => ({ seq: ref, field: '/data/text' }))
      : originsIn(action, field, step),
})

const callItem = (
  action: Action,
  call: string,
  isAnswer: boolean,
  age: number,
  isAnswered: boolean,
): Item<PacketStep> => ({
  key: action.ref,
  text: { lines: call.split('\n'), kind: WORDS },
  weight: Math.max(weightOf('call', age), isAnswered ? ANSWERED : 0),
  least: age === 0 ? 0 : CALL_TOKENS_MIN,
  add: (step, text) => {
    // Cut where it begins, it would not say what was called.
    const isCall = text !== '' && text.startsWith(call.slice(0, CALL_TOKENS_MIN).split('\n', 1)[0] ?? '')
    return isCall
      ? { ...(step ?? lineOf(action)), call: text, summary: isAnswer ? '' : resultOf(action) }
      : step
  },
  originsOf: ([field], step) => originsIn(action, field, step),
})

const outputLinesOf = ({ output }: Action): readonly string[] => output.split('\n')

const outputItem = (action: Action, age: number, { limit, reader }: Desk): Item<PacketStep> => ({
  key: action.ref,
  text: {
    lines: reader.once(action, outputLinesOf),
    kind: OUTPUT,
    highlights: action.highlights,
    part: action,
  },
  weight: weightOf('output', age),
  // With less an output is not worth showing: the sentence says as much.
  least: age === 0 ? 0 : Math.max(24, Math.min(64, limit >> 5)),
  add: (step, output) => step && { ...step, output },
  originsOf: ([field], step) => originsIn(action, field, step),
})

/** What the model said before a call stands with it, and its newest words by themselves. */
const wordsItem = (
  { ref, turn, value }: Words,
  action: Action | undefined,
  age: number,
): Item<PacketStep> => ({
  key: action?.ref ?? ref,
  text: { lines: value.split('\n'), kind: THOUGHT },
  weight: weightOf('said', age),
  least: age === 0 ? 0 : CALL_TOKENS_MIN >> 1,
  add: (step, text) => {
    const line = step ?? (action ? lineOf(action) : { ...EMPTY_STEP, turn, ref })
    return text === '' ? step : { ...line, said: [text, line.said].filter((one) => one !== '').join('\n') }
  },
  originsOf: ([field]) =>
    field === 'ref' || field === 'turn'
      ? [{ seq: ref, field: `/${field === 'ref' ? 'seq' : field}` }]
      : [{ seq: ref, field: '/data/text' }],
})

const EMPTY_STEP: PacketStep = {
  turn: 0,
  said: '',
  tool: '',
  call: '',
  summary: '',
  outcome: null,
  output: '',
  ref: 1,
}

/** A command with how it ended; anything else as its sentence tells it. */
function lineOf(action: Action): PacketStep {
  const { turn, tool, outcome, ref, summary } = action
  const isCommand = summary.startsWith('$ ')
  const call = isCommand ? cutMiddle(onOneLine(callText(action)), COMMAND_CHARS) : ''
  const told = cutMiddle(withoutFolders(isCommand ? resultOf(action) : summary || tool), LINE_CHARS)
  return { ...EMPTY_STEP, turn, tool, call, summary: told, outcome, ref }
}

function originsIn({ ref, called, summary, tool }: Action, field = '', { call }: PacketStep): Origin[] {
  if (field === 'ref') return [{ seq: ref, field: '/seq' }]
  if (field === 'turn') return [{ seq: ref, field: '/turn' }]
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
  if (summary === '')
    return field === 'outcome' && ref !== called ? [{ seq: ref, field: '/data/outcome' }] : []
  return [{ seq: ref, field: `/delta/add_action/0/${field}` }]
}

/** A step as text: what was said, the call, how it ended and what it gave. */
export function stepLines(step: PacketStep): readonly string[] {
  const { ref, said, call, summary, outcome, output } = step
  const words = said === '' ? [] : ['- you said:', ...indented(`  ${said}`)]
  if (step.tool === '') return words
  const end =
    outcome === null
      ? 'NO RESULT YET '
      : outcome === 'error'
        ? 'FAILED: '
        : outcome === 'partial'
          ? 'PARTLY: '
          : ''
  if (call === '') return [...words, `- #${ref} ${end}${sanitizeLine(summary)}`, ...outputLines(output)]
  const told = saysItself(step) ? '' : `${end}${sanitizeLine(summary)}`.trimEnd()
  const [first = '', ...rest] = sanitizeText(call).split('\n')
  if (rest.length === 0 && output === '')
    return [...words, `- #${ref} ${first}${told === '' ? '' : ` → ${told}`}`]
  return [
    ...words,
    `- #${ref} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...(told === '' ? [] : [`  → ${told}`]),
    ...outputLines(output),
  ]
}

const outputLines = (output: string): string[] => (output === '' ? [] : [FENCE, ...fenced(output), FENCE])

/** Whether call and output show all that the sentence of a success quotes or names. */
function saysItself({ outcome, call, output, summary }: PacketStep): boolean {
  if (outcome !== 'success') return false
  const [, quote] = /^"(.+?)…?"$/.exec(summary) ?? []
  if (quote !== undefined) return output.includes(quote)
  const names = specificNames(summary).filter((name) => output !== '' || !isNumber(name))
  const shown = `${call}\n${output}`.toLowerCase()
  return names.length > 0 && names.every((name) => shown.includes(name))
}
