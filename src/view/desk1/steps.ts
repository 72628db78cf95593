import { cap } from '../../packet/caps.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Action, Words } from '../../packet/state.ts'
import { cut } from '../../text/cut.ts'
import { onOneLine } from '../../text/lines.ts'
import { valuesIn } from '../../text/values.ts'
import { callText, resultOf, withoutFileText } from './call.ts'
import { costOf, WORDS } from './fit.ts'
import { type InUse, outputsInUse } from './in-use.ts'
import { type Desk, needOf, type Part, spoken, textFitter } from './part.ts'
import { withoutFolders } from './short-paths.ts'

/** Weights of the newest step's parts, and of the steps before it, newest first. */
const THOUGHT = 1400
const CALL = 1800
const NEWEST = 2200
const outputWeight = (age: number): number => Math.floor(200 / (age + 1))
const callWeight = (age: number): number => Math.floor(270 / (age + 3))
const thoughtWeight = (age: number): number => Math.floor(100 / (age + 1))
/** An output that the last calls took names from counts at least this much, and more if several did. */
const IN_USE = 120
const IN_USE_BY_SEVERAL = 300
/** So does a call that failed lately and was not tried again since: it will be. */
const FAILED_CALL = 600
const FAILED_OUTPUT = 250
const FAILED_STEPS = 6
/** And what the person's last words answer, and a change of a file whose present text is not known. */
const ANSWERED = 220
const CHANGE = 200
/** With less an output is not worth showing: its summary says as much. */
const outputTokensMin = (limit: number): number => Math.max(24, Math.min(64, limit >> 5))

/** One call with what the model said before it. */
interface Unit {
  readonly action: Action | undefined
  readonly thoughts: readonly Words[]
  readonly call: string
  readonly result: string
}

/** The newest step in parts of their own, the steps before it with less and less. */
export function stepParts(desk: Desk): Part[] {
  const [newest, ...before] = unitsOf(desk)
  if (!newest) return []
  const parts: Part[] = [thoughtPart(desk, newest, THOUGHT), ...newestAction(desk, newest)]
  const inUse = outputsInUse(desk.state)
  const answer = desk.state.person.at(-1)?.ref ?? 0
  const isAnswered = ({ action, thoughts }: Unit): boolean =>
    action?.ref === answer - 1 || thoughts.some(({ ref }) => ref === answer - 1)
  const called = newest.action ? [newest.action] : []
  const { changed, files } = desk.state
  const changes = changed.filter(({ value }) => !files[value] || files[value].stale !== undefined)
  for (const [age, unit] of before.entries()) {
    const { action } = unit
    if (!action) continue
    const isOpen =
      action.outcome !== 'success' && age < FAILED_STEPS && !called.some((newer) => isAlike(action, newer))
    called.push(action)
    const call = Math.max(
      isOpen && action.outcome === 'error' ? FAILED_CALL : 0,
      isAnswered(unit) ? ANSWERED : 0,
      changes.some(({ ref }) => ref === action.ref) ? CHANGE : 0,
    )
    const least = { call, output: isOpen ? FAILED_OUTPUT : 0 }
    parts.push(...partsBefore(desk, { ...unit, action }, age, least, inUse.get(action.ref)))
  }
  return parts
}

/** So much of a command says what it is: `git commit`, `npm test`. */
const ALIKE_CHARS = 12

/** Whether a call does the same kind of thing as an earlier one: its arguments begin alike. */
const isAlike = (earlier: Action, newer: Action): boolean =>
  valuesIn(newer.args).startsWith(valuesIn(earlier.args).slice(0, ALIKE_CHARS))

/** Steps beyond these, and beyond so many characters for each token of the limit, are not looked at: no packet shows them. */
const STEPS_MIN = 12
const CHARS_PER_TOKEN = 8

/**
 * The last actions, newest first, each with the words that led to it; words after the last call come first. An older
 * call that wrote the plan is its tool's name: the plan stands by itself.
 */
function unitsOf({ state, limit }: Desk): Unit[] {
  const { actions, thoughts } = state
  const units: Unit[] = []
  const most = cap(state.settings, 'window_actions')
  let chars = 0
  let said = thoughts.length
  const newer = new Map<string, Action>()
  const answers = new Set(state.person.map(({ ref }) => ref))
  for (let at = actions.length - 1; at >= 0 && units.length < most; at--) {
    const action = actions[at]
    if (!action || (units.length > STEPS_MIN && chars > limit * CHARS_PER_TOKEN)) break
    const before = actions[at - 1]?.ref ?? 0
    let first = said
    while (first > 0 && (thoughts[first - 1]?.ref ?? 0) > before) first--
    const planned = units.length > 0 && state.plan.some(({ ref }) => ref === action.ref)
    const written = planned ? action.tool : callText(action, newer.get(action.tool))
    newer.set(action.tool, action)
    // The newest call is told in full; the files that others wrote are shown by themselves.
    const call = units.length === 0 ? written : withoutFileText(written, action, state)
    // What the person answered stands among their words.
    const result = answers.has(action.ref + 1) ? '' : resultOf(action)
    units.push({ action, thoughts: thoughts.slice(first, said), call, result })
    chars += call.length + action.output.length
    said = first
  }
  return units.length > 0 ? units : [{ action: undefined, thoughts, call: '', result: '' }]
}

/** What the model said before a call, the last of it whole or by its conclusion. */
const thoughtPart = (desk: Desk, { thoughts }: Unit, weight: number): Part => ({
  weight,
  need: thoughts.reduce((sum, { value }) => sum + needOf(value, desk), 0),
  show(tokens, packet) {
    let left = tokens
    const shown: Packet['thoughts'] = []
    for (const words of thoughts.toReversed()) {
      const text = conclusion(words.value, left, desk)
      if (text === '') break
      left -= needOf(text, desk)
      shown.unshift(spoken(words, text))
    }
    return { ...packet, thoughts: [...shown, ...packet.thoughts].sort((a, b) => a.ref - b.ref) }
  },
})

/** What was said whole, or its last sentences: they say what follows. */
function conclusion(text: string, tokens: number, desk: Desk): string {
  if (needOf(text, desk) <= tokens) return text
  let kept = ''
  for (const { index, 0: gap } of [...text.matchAll(/(?<=[.!?:])\s+|\n+/g)].reverse()) {
    const longer = text.slice(index + gap.length)
    if (needOf(longer, desk) + 2 > tokens) break
    kept = longer
  }
  // `Code:` alone only announces what stands below it.
  return kept === '' || /^[^.!?\n]{0,20}:$/.test(kept) ? '' : `… ${kept}`
}

function newestAction(desk: Desk, { action, call, result }: Unit): Part[] {
  if (!action) return []
  const head = headCost(result, desk)
  const fit = callFitter(call, desk)
  return [
    {
      weight: CALL,
      need: needOf(call, desk) + head,
      show: (tokens, packet) => withStep(packet, action, fit(tokens - head), result),
    },
    outputPart(desk, action, NEWEST),
  ]
}

const headCost = (result: string, { count }: Desk): number => costOf(result, count) + 8

function outputPart(desk: Desk, { output, highlights, ref }: Action, weight: number, least = 0): Part {
  const fit = textFitter(output, desk, highlights)
  return {
    weight,
    need: needOf(output, desk),
    least,
    show(tokens, packet) {
      const shown = fit(tokens)
      const at = packet.recent_actions.findIndex((step) => step.ref === ref)
      const step = packet.recent_actions[at]
      if (shown === '' || !step) return packet
      return { ...packet, recent_actions: packet.recent_actions.with(at, { ...step, output: shown }) }
    },
  }
}

/** A call shown at all is shown with this many characters of its beginning, and more for each token above that. */
const CALL_CHARS_MIN = 120
const CALL_CHARS_PER_TOKEN = 3

/** A call within a number of tokens: with its first line, or else in one. */
function callFitter(call: string, desk: Desk): (tokens: number) => string {
  const fit = textFitter(call, desk, [], WORDS)
  const first = call.split('\n', 1)[0] ?? ''
  return (tokens) => {
    const shown = fit(tokens)
    if (shown === call || (shown.startsWith(first) && shown.length > CALL_CHARS_MIN)) return shown
    return cut(onOneLine(withoutFolders(call)), Math.max(CALL_CHARS_MIN, tokens * CALL_CHARS_PER_TOKEN))
  }
}

function withStep(packet: Packet, action: Action, call: string, summary: string): Packet {
  const { turn, tool, outcome, ref } = action
  const step = { turn, tool, call, summary, outcome, output: '', ref }
  // They come newest first.
  return { ...packet, recent_actions: [step, ...packet.recent_actions] }
}

/** A step before the newest: what was said and called, and apart from it the output. */
function partsBefore(
  desk: Desk,
  unit: Unit & { readonly action: Action },
  age: number,
  least: { readonly call: number; readonly output: number },
  use: InUse | undefined,
): Part[] {
  const { action, call, result } = unit
  const head = headCost(result, desk)
  const need = needOf(call, desk)
  const fit = callFitter(call, desk)
  const inUse = use === undefined ? 0 : use.calls > 1 ? IN_USE_BY_SEVERAL : IN_USE
  return [
    thoughtPart(desk, unit, thoughtWeight(age)),
    {
      weight: Math.max(callWeight(age), Math.min(inUse, IN_USE), least.call),
      need: head + need,
      least: Math.min(need, 12) + head,
      show: (tokens, packet) =>
        tokens === 0 ? packet : withStep(packet, action, fit(tokens - head), result),
    },
    outputPart(
      desk,
      use ? { ...action, highlights: [...use.lines, ...action.highlights] } : action,
      Math.max(outputWeight(age), inUse, least.output),
      outputTokensMin(desk.limit),
    ),
  ]
}
