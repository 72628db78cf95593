import { assertTurn, History } from '../../audit/history.ts'
import { TwotrackError } from '../../errors.ts'
import { diffPackets } from '../../packet/diff.ts'
import type { State } from '../../packet/state.ts'
import { type CommonOptions, withAgent } from '../context.ts'
import type { WhichOptions } from '../names.ts'
import { type Found, paint, print, safe } from '../output.ts'

export interface ReplayOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
  readonly seq?: number
  readonly views?: boolean
}

/** The packet as it was at a turn or an event, folded from the log alone. */
export async function replayCommand(
  agent: string | undefined,
  options: ReplayOptions,
): Promise<Found | number> {
  const { turn, seq, views } = options
  if ([turn, seq, views].filter((choice) => choice !== undefined).length > 1)
    throw new TwotrackError('bad_argument', '--turn, --seq and --views each choose what to show; give one.')
  return withAgent(agent, options, async (store, agentId) => {
    const history = await History.open(store, agentId)
    if (views) {
      for (const { event, state, endsTurn } of history.folded())
        if (endsTurn && event.turn > 0)
          print(JSON.stringify({ turn: state.turn, view: history.promptOf(state).text }))
      return 0
    }
    assertTurn(agentId, turn, history.lastTurn)
    const state = seq === undefined ? history.at(turn ?? history.lastTurn).state : stateAfter(history, seq)
    const { packet, text, tokens } = history.promptOf(state)
    const { prompt_budget, packet_size_limit } = state.settings
    const used = `${tokens} tokens with tools, of ${prompt_budget}; packet limit ${packet_size_limit}`
    return { json: packet, lines: () => [`${text}\n${paint('dim', `\n${used}`)}`] }
  })
}

function stateAfter(history: History, seq: number): State {
  for (const { event, state } of history.folded()) if (event.seq === seq) return state
  throw new TwotrackError(
    'missing',
    `Agent "${history.agent_id}" has events 1 to ${history.events.length}; there is no event ${seq}.`,
  )
}

export interface DiffOptions extends CommonOptions, WhichOptions {
  readonly from: number
  readonly to: number
}

/** What changed in the packet between two turns. */
export async function diffCommand(agent: string | undefined, options: DiffOptions): Promise<Found> {
  return withAgent(agent, options, async (store, agentId) => {
    const history = await History.open(store, agentId)
    for (const turn of [options.from, options.to]) assertTurn(agentId, turn, history.lastTurn)
    const changes = diffPackets(history.at(options.from).packet, history.at(options.to).packet)
    return {
      json: changes,
      lines: () => [
        changes.length === 0 && 'The packets are the same.',
        ...changes.flatMap(({ path, before, after }) => [
          before !== undefined && paint('red', `- ${safe(path)}: ${safe(JSON.stringify(before))}`),
          after !== undefined && paint('green', `+ ${safe(path)}: ${safe(JSON.stringify(after))}`),
        ]),
      ],
    }
  })
}
