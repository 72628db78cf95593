import { cut } from '../../../text/cut.ts'
import { onOneLine } from '../../../text/lines.ts'
import { cap } from '../../packet/caps.ts'
import type { Action, Words } from '../../packet/state.ts'
import { callText, resultOf } from './call.ts'
import { costOf, WORDS } from './fit.ts'
import { type Desk, needOf, type Part, textFitter } from './part.ts'
import { wordsPart } from './sections.ts'
import { withoutFolders } from './short-paths.ts'

/** Weights of the newest step's parts, and of the steps before it, newest first. */
const THOUGHT = 1400
const CALL = 1800
const NEWEST = 2200
/** What the person's last words answer counts at least this much. */
const ANSWERED = 220
/** With less an output is not worth showing: its summary says as much. */
const outputTokensMin = (limit: number): number => Math.max(24, Math.min(64, limit >> 5))

/** One call with what the model said before it. */
interface Unit {
  readonly action: Action | undefined
  readonly thoughts: readonly Words[]
  readonly call: string
  readonly result: string
}

/** The newest step in full, the steps before it with less and less: what was said, the call, and apart from it the output. */
export function stepParts(desk: Desk): Part[] {
  const answer = desk.state.person.at(-1)?.ref ?? 0
  const isAnswered = ({ action, thoughts }: Unit): boolean =>
    action?.ref === answer - 1 || thoughts.some(({ ref }) => ref === answer - 1)
  return unitsOf(desk).flatMap((unit, age) => {
    if (age === 0) return partsOfStep(desk, unit, { thought: THOUGHT, call: CALL, output: NEWEST }, 0)
    const weights = {
      thought: Math.floor(100 / age),
      call: Math.max(Math.floor(270 / (age + 2)), isAnswered(unit) ? ANSWERED : 0),
      output: Math.floor(200 / age),
    }
    return partsOfStep(desk, unit, weights, outputTokensMin(desk.limit))
  })
}

/** Steps behind more text than this for each token of the limit are not looked at: no packet shows them. */
const CHARS_PER_TOKEN = 8

/**
 * The last actions, newest first, each with the words that led to it; words after the last call come first. An older
 * call that wrote the plan is its tool's name: the plan stands by itself.
 */
function unitsOf({ state, limit }: Desk): Unit[] {
  const { actions, thoughts } = state
  const units: Unit[] = []
  const most = cap(state.settings, 'window_actions')
  let left = limit * CHARS_PER_TOKEN
  let said = thoughts.length
  const newer = new Map<string, Action>()
  const answers = new Set(state.person.map(({ ref }) => ref))
  for (let at = actions.length - 1; at >= 0 && units.length < most && left > 0; at--) {
    const action = actions[at]
    if (!action) break
    const before = actions[at - 1]?.ref ?? 0
    let first = said
    while (first > 0 && (thoughts[first - 1]?.ref ?? 0) > before) first--
    const planned = units.length > 0 && state.plan.some(({ ref }) => ref === action.ref)
    const call = planned ? action.tool : callText(action, newer.get(action.tool))
    newer.set(action.tool, action)
    // What the person answered stands among their words.
    const result = answers.has(action.ref + 1) ? '' : resultOf(action)
    units.push({ action, thoughts: thoughts.slice(first, said), call, result })
    // A long output does not hide the calls before it.
    left -= Math.min(call.length + action.output.length, limit >> 1)
    said = first
  }
  return units.length > 0 ? units : [{ action: undefined, thoughts, call: '', result: '' }]
}

/** What the model said before a call, the last of it whole or by its conclusion. */
const thoughtPart = (desk: Desk, { thoughts }: Unit, weight: number): Part =>
  wordsPart(
    desk,
    weight,
    thoughts,
    ({ value }, tokens) => conclusion(value, tokens, desk),
    (said, packet) => ({ thoughts: [...said, ...packet.thoughts].sort((a, b) => a.ref - b.ref) }),
  )

/** What was said whole, or its last sentences: they say what follows. */
function conclusion(text: string, tokens: number, desk: Desk): string {
  if (needOf(text, desk) <= tokens) return text
  let kept = ''
  for (const { index, 0: gap } of [...text.matchAll(/(?<=[.!?:])\s+|\n+/g)].reverse()) {
    const longer = text.slice(index + gap.length)
    if (needOf(longer, desk) + 2 > tokens) break
    kept = longer
  }
  return kept === '' ? '' : `… ${kept}`
}

/** With less, a call is rather told as one of the earlier steps. */
const CALL_TOKENS_MIN = 40

/** A call within a number of tokens: with what it begins with, or else in one line. */
function callFitter(call: string, desk: Desk): (tokens: number) => string {
  const fit = textFitter(call, desk, [], WORDS)
  const first = call.split('\n', 1)[0]?.slice(0, CALL_TOKENS_MIN) ?? ''
  return (tokens) => {
    const shown = fit(tokens)
    if (shown.startsWith(first)) return shown
    return cut(onOneLine(withoutFolders(call)), Math.max(tokens, CALL_TOKENS_MIN) * 3)
  }
}

type Weights = Readonly<Record<'thought' | 'call' | 'output', number>>

function partsOfStep(desk: Desk, unit: Unit, weight: Weights, outputMin: number): Part[] {
  const { action, call, result: summary } = unit
  const said = thoughtPart(desk, unit, weight.thought)
  if (!action) return [said]
  const { turn, tool, outcome, ref } = action
  const head = costOf(summary, desk.count) + 8
  const need = needOf(call, desk)
  const fitCall = callFitter(call, desk)
  const fitOutput = textFitter(action.output, desk, action.highlights)
  return [
    said,
    {
      weight: weight.call,
      need: head + need,
      least: outputMin === 0 ? 0 : Math.min(need, CALL_TOKENS_MIN) + head,
      show(tokens, packet) {
        if (tokens === 0) return packet
        const step = { turn, tool, call: fitCall(tokens - head), summary, outcome, output: '', ref }
        // They come newest first.
        return { ...packet, recent_actions: [step, ...packet.recent_actions] }
      },
    },
    {
      weight: weight.output,
      need: needOf(action.output, desk),
      least: outputMin,
      show(tokens, packet) {
        const output = fitOutput(tokens)
        const steps = packet.recent_actions.map((step) => (step.ref === ref ? { ...step, output } : step))
        return { ...packet, recent_actions: steps }
      },
    },
  ]
}
