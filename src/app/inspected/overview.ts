import { setImmediate } from 'node:timers/promises'
import { worstSpots } from '../../audit/blindspots/blindspots.ts'
import type { BlindSpots } from '../../audit/blindspots/spot.ts'
import { noPrices, type Prices, priced } from '../../audit/report/cost.ts'
import { otherPrompt } from '../../audit/whatif/whatif.ts'
import { type ByType, byType } from '../../core/event/by-type.ts'
import { type Prompt, promptFrom } from '../../core/view/prompt.ts'
import { VIEW } from '../../core/view/view.ts'
import { TwotrackError } from '../../errors.ts'
import { type AgentSummary, agentSummary } from '../../run/agent-summary.ts'
import { type Turn, TurnFold } from '../turns.ts'
import { type InspectedLog, onceOf } from './log.ts'
import { type DiffLine, diffOfLines } from './turn.ts'

/** What an agent was asked, what became of it, and its turns. */
export interface Overview {
  readonly agent: AgentSummary
  readonly goal: string
  readonly limit: number
  readonly view: string
  /** Views that a what-if can be asked for. */
  readonly views: readonly string[]
  readonly turns: readonly Turn[]
}

const WORDS_CHARS_MAX = 240

export const overviewOf = (log: InspectedLog): Promise<Overview> =>
  onceOf(log, 'overview', async () => {
    const { events, agent_id } = log.history
    let agent: AgentSummary | undefined
    const fold = new TurnFold()
    for (const event of events) {
      agent = agentSummary(agent, event)
      fold.add(event)
    }
    const [first] = events
    if (!agent || first?.type !== 'run_start')
      throw new TwotrackError('bad_event', `The log of "${agent_id}" does not begin with run_start.`)
    const { settings } = first.data
    const words = events.find(({ type }) => type === 'person_message')
    // A session of another harness begins with a person's first words.
    const goal = first.data.goal || (words?.type === 'person_message' ? words.data.text : '')
    const turns = fold.turns.map((turn) => ({ ...turn, text: turn.text.slice(0, WORDS_CHARS_MAX) }))
    const view = `${settings.view}:${settings.rendering}`
    const views = [...new Set([view, `${VIEW}:outline`, `${VIEW}:json`])]
    const limit = settings.packet_size_limit
    const damaged = { outcome: 'damaged', standing: 'damaged', summary: log.damage ?? '' } as const
    if (log.damage !== undefined) agent = { ...agent, ...damaged }
    return { agent, goal, limit, view, views, turns }
  })

/** Of packets that are kept already; before each other one it waits for `pause`, which may throw. */
export const blindSpotsIn = (log: InspectedLog, pause?: () => Promise<void>): Promise<BlindSpots> =>
  onceOf(log, 'blind', () => {
    const { store, agent_id } = log.history
    const prompt = async (turn: number) => {
      await pause?.()
      return promptAt(log, turn)
    }
    return worstSpots(store, agent_id, { most: SPOTS_MAX, prompt })
  })

const promptAt = ({ history: { reader }, decision }: InspectedLog, turn: number): Prompt => {
  const { packet, state } = decision(turn)
  return promptFrom(packet, state, reader)
}

const SPOTS_MAX = 500

/** Tokens of the packet of each turn: as they were counted, or of the packet made now, with time for other requests. */
async function packetTokens(log: InspectedLog): Promise<number[]> {
  const { history } = log
  const all: number[] = []
  for (const { type, turn, data } of history.events)
    if (type === 'model_request' && data.purpose === 'turn') all[turn] ??= data.prompt_tokens
  for (let turn = 0; turn <= history.lastTurn; turn++) {
    if (all[turn] !== undefined) continue
    all[turn] = promptAt(log, turn).tokens
    await setImmediate()
  }
  return all
}

/** What one turn sent, and what all of the conversation would have been. */
export interface ChartPoint {
  readonly turn: number
  readonly packet: number
  readonly history: number
  /** Of all requests so far; absent where no price is known. */
  readonly cost?: number
}

export interface Charts {
  readonly points: readonly ChartPoint[]
  readonly currency: string
  readonly tools: readonly { tool: string; success: number; partial: number; error: number }[]
}

/** Of long texts the size alone tells: so many bytes make a token. */
const BYTES_A_TOKEN = 3.6
const COUNTED_CHARS_MAX = 20_000

export const chartsOf = (log: InspectedLog, prices: Prices = noPrices): Promise<Charts> =>
  onceOf(log, 'charts', async () => {
    const { events, reader, lastTurn } = log.history
    const tokens = await packetTokens(log)
    const added = new Array<number>(lastTurn + 1).fill(0)
    const costs = new Array<number>(lastTurn + 1).fill(0)
    let isPriced = false
    const tools = new Map<string, { tool: string; success: number; partial: number; error: number }>()
    const add = (turn: number, count: number) => {
      added[turn] = (added[turn] ?? 0) + count
    }
    const measured = (text: string) =>
      text.length > COUNTED_CHARS_MAX ? Math.round(text.length / BYTES_A_TOKEN) : reader.count(text)
    const told: ByType<[], void> = {
      run_start: ({ turn, data }) => add(turn, measured(`${data.instructions}\n${data.goal}`)),
      person_message: ({ turn, data }) => add(turn, measured(data.text)),
      model_response: ({ turn, data }) => add(turn, measured(data.text)),
      tool_call: ({ turn, data }) => add(turn, measured(JSON.stringify(data.args))),
      tool_result: ({ turn, data: { tool, outcome, output_bytes } }) => {
        add(turn, Math.round(output_bytes / BYTES_A_TOKEN))
        const row = tools.get(tool) ?? { tool, success: 0, partial: 0, error: 0 }
        row[outcome]++
        tools.set(tool, row)
      },
      model_request: ({ turn, data: { model, prompt_tokens } }) => {
        const use = { model, requests: 1, prompt_tokens, completion_tokens: 0, counted_here: 1, answer_ms: 0 }
        const { cost } = priced(use, prices)
        if (cost === undefined || !Object.hasOwn(prices.models, model)) return
        isPriced = true
        costs[turn] = (costs[turn] ?? 0) + cost
      },
    }
    for (const event of events) byType(told, event)
    let history = 0
    let cost = 0
    const points = added.map((count, turn) => {
      const before = history
      history += count
      cost += costs[turn] ?? 0
      const point = { turn, packet: tokens[turn] ?? 0, history: turn === 0 ? history : before }
      return isPriced ? { ...point, cost } : point
    })
    const byCalls = [...tools.values()].sort((a, b) => callsOf(b) - callsOf(a))
    return { points, currency: prices.currency, tools: byCalls }
  })

const callsOf = ({ success, partial, error }: Charts['tools'][number]): number => success + partial + error

/** The packet of a turn as it would be with another limit or view, beside what it was: tokens of the packet alone. */
export interface OtherPacket {
  readonly tokens: number
  readonly before: number
  readonly diff: readonly DiffLine[]
}

export async function otherPacket(
  log: InspectedLog,
  turn: number,
  other: { readonly limit?: number; readonly view?: string },
): Promise<OtherPacket> {
  const { seq, lines, tokens: before } = await log.packet(turn)
  const shown = lines.map(({ text }) => text)
  const { body } = await otherPrompt(log.history, seq, other)
  return { tokens: log.history.reader.count(body), before, diff: diffOfLines(shown, body.split('\n')) }
}
