import { TwotrackError } from '../../errors.ts'
import type { Event } from '../../event/event.ts'
import { canonical } from '../../event/json.ts'
import { fieldOf } from '../../memory/blobs.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, withAgent } from '../context.ts'
import type { WhichOptions } from '../names.ts'
import { paint, print, printJson, safe, wrapped } from '../output.ts'

export interface ShowOptions extends CommonOptions, WhichOptions {
  readonly event?: number
  readonly raw?: boolean
  readonly follow?: boolean
}

/** The story of a log: one line an event; or one event whole, or its raw output byte for byte. */
export async function showCommand(agent: string | undefined, options: ShowOptions): Promise<number> {
  if (options.raw && options.event === undefined)
    throw new TwotrackError('bad_argument', '--raw shows one event: give its number with --event.')
  if (options.follow && options.event !== undefined)
    throw new TwotrackError('bad_argument', '--follow shows all events and --event one; choose.')
  return withAgent(agent, options, async (store, agentId) => {
    if (options.event !== undefined) return showEvent(store, agentId, options.event, options)
    const events = options.follow ? store.tail(agentId, { signal: interrupted() }) : store.read(agentId)
    for await (const event of events) print(options.json ? JSON.stringify(event) : lineOf(event))
    return 0
  })
}

/** Ctrl-C is how following ends, so it is no failure. */
function interrupted(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

async function showEvent(store: Store, agentId: string, seq: number, options: ShowOptions): Promise<number> {
  for await (const event of store.read(agentId, { from: seq, to: seq })) {
    if (options.raw) {
      const raw = (await fieldOf(store, event, 'raw_output')) ?? (await fieldOf(store, event, 'prompt'))
      if (raw === undefined)
        throw new TwotrackError('missing', `Event ${seq} (${event.type}) has no raw output.`)
      process.stdout.write(raw instanceof Uint8Array ? raw : typeof raw === 'string' ? raw : canonical(raw))
    } else if (options.json) printJson(event)
    else print(JSON.stringify(event, null, 2))
    return 0
  }
  const head = await store.head(agentId)
  throw new TwotrackError(
    'missing',
    `Agent "${agentId}" has events 1 to ${head?.seq ?? 0}; there is no event ${seq}.`,
  )
}

function lineOf(event: Event): string {
  const seq = paint('dim', `#${event.seq}`.padStart(5))
  return wrapped(`${seq} ${paint('dim', `t${event.turn}`.padStart(4))} ${describe(event)}`, 0, 17)
}

const OUTCOMES = {
  success: () => paint('green', 'ok   '),
  error: () => paint('red', 'error'),
  partial: () => paint('yellow', 'part '),
}

function describe(event: Event): string {
  switch (event.type) {
    case 'run_start':
      return `${paint('bold', 'start')} ${safe(event.data.goal).slice(0, 100)}`
    case 'turn_start':
      return paint('dim', 'turn')
    case 'tool_call':
      return `${paint('cyan', 'call')}  ${safe(event.data.tool)} ${safe(canonical(event.data.args)).slice(0, 120)}`
    case 'tool_result':
      return `${OUTCOMES[event.data.outcome]()} ${safe(event.delta?.add_action?.[0]?.summary ?? event.data.tool).slice(0, 160)}`
    case 'model_request':
      return `${paint('magenta', 'ask')}   ${safe(event.data.model)}, prompt of ${event.data.prompt_tokens} tokens`
    case 'model_response':
      return `${paint('magenta', 'said')}  ${safe(event.data.text).slice(0, 120)}`
    case 'run_end':
      return `${paint('bold', 'end')}   ${event.data.reason}: ${safe(event.data.summary)}`
    case 'person_message':
      return `${paint('yellow', 'person')} ${safe(event.data.text).slice(0, 120)}`
    case 'correction':
    case 'proposal':
      return `${paint('yellow', 'note')}  ${safe(event.data.by)}: ${safe(event.data.note).slice(0, 120)}`
    case 'agent_error':
      return `${paint('red', 'fault')} ${safe(event.data.where)}: ${safe(event.data.message)}`
    default:
      return `${event.type} ${safe(JSON.stringify(event.data)).slice(0, 120)}`
  }
}
