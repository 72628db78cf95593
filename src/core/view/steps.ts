import { cutMiddle } from '../../text/cut.ts'
import { isNumber, specificNames } from '../../text/names.ts'
import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import { cap } from '../packet/caps.ts'
import type { PacketStep } from '../packet/packet.ts'
import type { Action, Origin, Words } from '../packet/state.ts'
import { callText, resultOf } from './call.ts'
import { OUTPUT, THOUGHT, WORDS } from './cut.ts'
import { answersIn } from './items.ts'
import { FENCE, fenced, indented, type OutlineLine } from './render.ts'
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
/** Of what is too long for a line, its beginning says what was done, its end how that ended; of the last steps more. */
const LINE_CHARS = 200
const OLD_LINE_CHARS = 120
/** Steps behind more text than this for each token of the limit are told in a line: no packet shows more. */
const CHARS_PER_TOKEN = 8

/** A line for each step, the most telling first; by themselves the words, calls and outputs of the last ones. */
export function stepItems({ state, limit, reader, root }: Desk): Item<PacketStep>[] {
  const { actions, changed, person, plan, settings } = state
  const answers = new Set(person.map(({ ref }) => ref))
  const answer = person.at(-1)?.ref ?? 0
  const said = wordsBefore(state)
  const planned = new Set(plan.map(({ ref }) => ref))
  const last = new Set(actions.slice(-STEPS_FIRST))
  const items = linesFirst(
    actions.filter((action, at) => !planned.has(action.ref) || at === actions.length - 1),
    new Set(changed.map(({ ref }) => ref)),
  )
    .slice(0, limit >> 3)
    .map((action) => {
      const line = lineOf(action, root, last.has(action) ? LINE_CHARS : OLD_LINE_CHARS)
      return itemOf(action, { add: (step = line) => step }, said.get(action.ref))
    })
  for (const words of said.get(0) ?? []) items.push(wordsItem(words, undefined, 0, root))
  let left = limit * CHARS_PER_TOKEN
  for (const [age, action] of actions.slice(-cap(settings, 'window_actions')).reverse().entries()) {
    if (left <= 0) break
    for (const words of said.get(action.ref) ?? []) items.push(wordsItem(words, action, age, root))
    // A plan is shown by itself.
    if (age > 0 && planned.has(action.ref)) continue
    const call = callText(action)
    const isAnswered = action.ref === answer - 1
    const first = call.slice(0, CALL_TOKENS_MIN).split('\n', 1)[0] ?? ''
    // What the person answered stands among their words.
    const summary = answers.has(action.ref + 1) ? '' : resultOf(action)
    items.push(
      itemOf(action, {
        text: { lines: call.split('\n'), kind: WORDS },
        weight: Math.max(weightOf('call', age), isAnswered ? ANSWERED : 0),
        least: age === 0 ? 0 : CALL_TOKENS_MIN,
        // Cut where it begins, it would not say what was called.
        add: (step, text) =>
          text !== '' && text.startsWith(first)
            ? { ...(step ?? lineOf(action, root)), call: text, summary }
            : step,
      }),
    )
    if (action.output !== '')
      items.push(
        itemOf(action, {
          text: {
            ...{ lines: reader.once(action, outputLinesOf), kind: OUTPUT },
            ...{ highlights: action.highlights, part: action },
          },
          weight: weightOf('output', age),
          // With less an output is not worth showing: the sentence says as much.
          least: age === 0 ? 0 : Math.max(24, Math.min(64, limit >> 5)),
          add: (step, output) => step && { ...step, output },
        }),
      )
    // A long output does not hide the calls before it.
    left -= Math.min(call.length + action.output.length, limit >> 1)
  }
  return items
}

const outputLinesOf = ({ output }: Action): readonly string[] => output.split('\n')

const weightOf = (part: keyof typeof NEWEST, age: number): number =>
  // Never nothing: where there is space, the oldest is shown too.
  age === 0 ? NEWEST[part] : Math.ceil(OLDER[part] / (part === 'call' ? age + 2 : age))

/** The model's words by the step that they led to, under 0 those that led to none yet; what it told people stands by itself. */
function wordsBefore(state: Desk['state']): Map<number, Words[]> {
  const { actions, thoughts } = state
  const answers = new Set(answersIn(state))
  let at = 0
  const others = thoughts.filter((words) => !answers.has(words))
  return Map.groupBy(others, ({ ref }) => {
    while (at < actions.length && (actions[at]?.ref ?? 0) < ref) at++
    return actions[at]?.ref ?? 0
  })
}

/**
 * The last steps; then the last of each kind, as a check is, what else was done, and what was only looked at or changed a
 * file that is told of by itself.
 */
function linesFirst(actions: readonly Action[], told: ReadonlySet<number>): Action[] {
  const newest = actions.toReversed()
  const older = newest.slice(STEPS_FIRST)
  const done = older.filter(({ looked, ref }) => !looked && !told.has(ref))
  const kinds = Map.groupBy(done, ({ summary }) => summary.split(' ', summary[0] === '$' ? 4 : 2).join(' '))
  const last = [...kinds.values()].flatMap(([one]) => one ?? [])
  return [...new Set([...newest.slice(0, STEPS_FIRST), ...last, ...done, ...older])]
}

const itemOf = (
  action: Action,
  own: Omit<Item<PacketStep>, 'key' | 'originsOf'>,
  said: readonly Words[] = [],
): Item<PacketStep> => ({
  ...own,
  key: action.ref,
  originsOf: ([field], step) =>
    field === 'said'
      ? said.map(({ ref }) => ({ seq: ref, field: '/data/text' }))
      : originsIn(action, field, step),
})

/** What the model said before a call stands with it, and its newest words by themselves. */
const wordsItem = (
  { ref, turn, value }: Words,
  action: Action | undefined,
  age: number,
  root: string,
): Item<PacketStep> => ({
  key: action?.ref ?? ref,
  text: { lines: value.split('\n'), kind: THOUGHT },
  weight: weightOf('said', age),
  least: age === 0 ? 0 : CALL_TOKENS_MIN >> 1,
  add: (step, text) => {
    const line = step ?? (action ? lineOf(action, root) : { ...EMPTY_STEP, turn, ref })
    return text === '' ? step : { ...line, said: [line.said, text].filter((one) => one !== '').join('\n') }
  },
  originsOf: ([field], step) =>
    action && field !== 'said'
      ? originsIn(action, field, step)
      : [{ seq: ref, field: field === 'ref' ? '/seq' : field === 'turn' ? '/turn' : '/data/text' }],
})

const EMPTY_STEP: PacketStep = {
  ...{ turn: 0, said: '', tool: '', call: '', summary: '', outcome: null, output: '', ref: 1 },
}

/** A step in a line, paths without the folder that all have in common. */
const lineOf = (
  { turn, tool, outcome, ref, summary }: Action,
  root: string,
  chars = LINE_CHARS,
): PacketStep => ({
  ...{ ...EMPTY_STEP, turn, tool, outcome, ref },
  summary: cutMiddle((root === '' ? summary : withoutRoot(summary, root)) || tool, chars),
})

/** In the middle of another path a folder's name stays. */
const withoutRoot = (text: string, root: string): string =>
  text.replaceAll(root, (found, at: number) => (/[\w.~-]/.test(text[at - 1] ?? '') ? found : ''))

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

const ENDED = { success: '', error: 'FAILED: ', partial: 'PARTLY: ' } as const

/** A step as text: what was said, the call, how it ended and what it gave. */
export function stepLines(step: PacketStep): OutlineLine[] {
  const { ref, said, call, summary, outcome, output, tool } = step
  const words: OutlineLine[] =
    said === '' ? [] : [['- you said:', 'said'], ...indented(said, '  ', '  ', 'said')]
  if (tool === '') return words
  const end = outcome === null ? 'NO RESULT YET ' : ENDED[outcome]
  const gave = output === '' ? [] : fenced(output).map((line): OutlineLine => [line, 'output', line])
  const given: OutlineLine[] = gave.length === 0 ? [] : [[FENCE], ...gave, [FENCE]]
  const told = `${end}${sanitizeLine(unsaid(summary, outcome))}`
  if (call === '') return [...words, [`- #${ref} ${told}`, 'summary'], ...given]
  const result = saysItself(step) ? '' : told.trimEnd()
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

/** That it failed is said once. */
const unsaid = (summary: string, outcome: PacketStep['outcome']): string =>
  outcome === 'error' ? summary.replace(/(^|: )failed, /, '$1') : summary

/** Whether call and output show all that the sentence of a success quotes or names. */
function saysItself({ outcome, call, output, summary }: PacketStep): boolean {
  if (outcome !== 'success') return false
  const [, quote] = /^"(.+?)…?"$/.exec(summary) ?? []
  if (quote !== undefined) return output.includes(quote)
  const names = specificNames(summary).filter((name) => output !== '' || !isNumber(name))
  const shown = `${call}\n${output}`.toLowerCase()
  return names.length > 0 && names.every((name) => shown.includes(name))
}
