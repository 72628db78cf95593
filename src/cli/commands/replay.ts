import { streamFrom, withAgent } from '../../app/context.ts'
import { agentMeant, type WhichOptions } from '../../app/names.ts'
import { promptsOf, type ReplayPlace, redactedNote, replayAt } from '../../app/replay.ts'
import { visibleJson } from '../../audit/visible.ts'
import { defined } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint } from '../output.ts'

interface ReplayOptions extends CommonOptions, WhichOptions, ReplayPlace {
  readonly views?: boolean
}

/** The packet as it was at a turn or an event, folded from the log alone. */
async function replayCommand(agent: string | undefined, options: ReplayOptions): Promise<Found> {
  const { turn, seq, views, limit, view } = options
  if ([turn, seq, views].filter((choice) => choice !== undefined).length > 1)
    throw new TwotrackError('bad_argument', '--turn, --seq and --views each choose what to show; give one.')
  if (views) return { each: viewsOf(agent, options) }
  return withAgent(agent, options, async (store, agentId) => {
    const place = defined({ turn, seq, limit, view })
    const { state, packet, prompt, tokens, redacted } = await replayAt(store, agentId, place)
    const { prompt_budget, packet_size_limit } = state.settings
    const used = `${tokens} tokens with tools, of ${prompt_budget}; packet limit ${packet_size_limit}`
    const note = redactedNote(redacted)
    const marked = note !== undefined && paint('yellow', note)
    return {
      json: note === undefined ? packet : { ...packet, redacted },
      lines: () => [`${prompt}\n${paint('dim', `\n${used}`)}`, marked],
    }
  })
}

const viewsOf = (agent: string | undefined, options: ReplayOptions) =>
  streamFrom(options, async function* (store) {
    for await (const json of promptsOf(store, await agentMeant(store, agent, options)))
      yield { json, lines: () => [visibleJson(json)] }
  })

export default {
  takes: '[agent]',
  examples: [
    'replay import-run',
    'replay import-run --turn 7 --json',
    'replay import-run --turn 7 --limit 1500',
    'replay import-run --views   # one JSON line per turn',
  ],
  options: [
    LAST_AGENT,
    ['--turn <n>', 'after the last event of this turn', wholeNumber],
    ['--seq <n>', 'after this event', wholeNumber],
    ['--limit <tokens>', 'with a packet of this size instead', wholeNumber],
    ['--view <name[:rendering]>', 'with another view, or another rendering of it'],
    ['--views', 'print one JSON line per turn: {"turn", "view"}, and "redacted" where events are'],
  ],
  call: replayCommand,
} satisfies CommandWords
