import { cap } from '../../packet/caps.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Action, Words } from '../../packet/state.ts'
import { cut } from '../../text/cut.ts'
import { allocate } from './allocate.ts'
import { callText } from './call.ts'
import { costOf, WORDS_ENDS } from './fit.ts'
import { type Desk, fitText, needOf, type Part, spoken } from './part.ts'

/** Weights of the newest step's parts, and of the steps before it, newest first. */
const THOUGHT = 120
const CALL = 120
const OUTPUT = 1400
const BEFORE = [300, 130, 60, 35, 25, 20, 15, 12, 10, 8, 6, 5]
const BEFORE_CALL = [70, 55, 45, 35, 28, 22, 18, 14, 11, 9, 7, 6]
/** Earlier calls of a tool are looked for among this many. */
const EARLIER_CALLS = 20
/** With less an output is not worth showing: its summary says as much. */
const OUTPUT_TOKENS_MIN = 80

/** One call with what the model said before it. */
interface Unit {
  readonly action: Action | undefined
  readonly thoughts: readonly Words[]
  readonly call: string
}

/** The newest step in parts of their own, the steps before it with less and less. */
export function stepParts(desk: Desk): Part[] {
  const [newest, ...before] = unitsOf(desk)
  if (!newest) return []
  const parts: Part[] = [
    {
      weight: THOUGHT,
      need: thoughtNeed(newest, desk),
      show: (tokens, packet) => withThoughts(packet, newest, tokens, desk),
    },
    ...newestAction(desk, newest),
  ]
  for (const [age, unit] of before.entries()) parts.push(...partsBefore(desk, unit, age))
  return parts
}

/** Steps beyond so many characters for each token of the limit are not looked at: no packet of that size shows them. */
const CHARS_PER_TOKEN = 8

/** The last actions, newest first, each with the words that led to it; words after the last call come first. */
function unitsOf({ state, limit }: Desk): Unit[] {
  const { actions, thoughts } = state
  const units: Unit[] = []
  const most = cap(state.settings, 'window_actions')
  let chars = 0
  let said = thoughts.length
  for (let at = actions.length - 1; at >= 0 && units.length < most; at--) {
    const action = actions[at]
    if (!action || (units.length > BEFORE.length && chars > limit * CHARS_PER_TOKEN)) break
    const before = actions[at - 1]?.ref ?? 0
    let first = said
    while (first > 0 && (thoughts[first - 1]?.ref ?? 0) > before) first--
    const call = callText(action, actions.slice(Math.max(0, at - EARLIER_CALLS), at))
    units.push({ action, thoughts: thoughts.slice(first, said), call })
    chars += call.length + action.output.length
    said = first
  }
  return units.length > 0 ? units : [{ action: undefined, thoughts, call: '' }]
}

const thoughtNeed = ({ thoughts }: Unit, desk: Desk): number =>
  thoughts.reduce((sum, { value }) => sum + needOf(value, desk), 0)

function withThoughts(packet: Packet, { thoughts }: Unit, tokens: number, desk: Desk): Packet {
  let left = tokens
  const shown: Packet['thoughts'] = []
  for (const words of thoughts.toReversed()) {
    const text = conclusion(words.value, left, desk)
    if (text === '') break
    left -= needOf(text, desk)
    shown.unshift(spoken(words, text))
  }
  return { ...packet, thoughts: [...shown, ...packet.thoughts].sort((a, b) => a.ref - b.ref) }
}

/** What was said whole, or its last sentences: they say what follows. */
function conclusion(text: string, tokens: number, desk: Desk): string {
  if (needOf(text, desk) <= tokens) return text
  const sentences = text.split(/(?<=[.!?:])\s+|\n+/)
  let kept = ''
  for (const sentence of sentences.toReversed()) {
    const longer = kept === '' ? sentence : `${sentence} ${kept}`
    if (needOf(longer, desk) + 2 > tokens) break
    kept = longer
  }
  return kept === '' ? '' : `… ${kept}`
}

const headCost = ({ summary }: Action, { count }: Desk): number => costOf(summary, count) + 8

function newestAction(desk: Desk, { action, call }: Unit): Part[] {
  if (!action) return []
  return [
    {
      weight: CALL,
      need: needOf(call, desk) + headCost(action, desk),
      show: (tokens, packet) => {
        const shown = fitText(call, tokens - headCost(action, desk), desk, [], WORDS_ENDS) || firstLine(call)
        return withStep(packet, action, shown, '')
      },
    },
    {
      weight: OUTPUT,
      need: needOf(action.output, desk),
      show: (tokens, packet) => withOutput(packet, action, tokens, desk),
    },
  ]
}

function withOutput(packet: Packet, action: Action, tokens: number, desk: Desk): Packet {
  const output = fitText(action.output, tokens, desk, action.highlights)
  const at = packet.recent_actions.findIndex(({ ref }) => ref === action.ref)
  const step = packet.recent_actions[at]
  if (output === '' || !step) return packet
  return { ...packet, recent_actions: packet.recent_actions.with(at, { ...step, output }) }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

const withStep = (packet: Packet, action: Action, call: string, output: string): Packet => {
  const { turn, tool, summary, outcome, ref } = action
  const step = { turn, tool, call, summary, outcome, output, ref }
  // They come newest first.
  return { ...packet, recent_actions: [step, ...packet.recent_actions] }
}

const olderWeight = (age: number): number => Math.max(1, Math.floor(60 / age))

/** A step before the newest: what was said and called, and apart from it the output. */
function partsBefore(desk: Desk, unit: Unit, age: number): Part[] {
  const { action, call } = unit
  if (!action) return []
  const head = headCost(action, desk)
  const needs = [thoughtNeed(unit, desk), needOf(call, desk)] as const
  return [
    {
      weight: BEFORE_CALL[age] ?? olderWeight(age),
      need: head + needs[0] + needs[1],
      least: Math.min(needs[1], 12) + head,
      show(tokens, packet) {
        if (tokens === 0) return packet
        const [forThought = 0, forCall = 0] = allocate(
          tokens - head,
          needs.map((need) => ({ need, weight: 1 })),
        )
        const shown = fitText(call, forCall, desk, [], WORDS_ENDS) || cut(firstLine(call), 80)
        return withThoughts(withStep(packet, action, shown, ''), unit, forThought, desk)
      },
    },
    {
      weight: BEFORE[age] ?? olderWeight(age),
      need: needOf(action.output, desk),
      least: OUTPUT_TOKENS_MIN,
      show: (tokens, packet) => withOutput(packet, action, tokens, desk),
    },
  ]
}
