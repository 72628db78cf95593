import type { EventFor } from '../core/event/event.ts'
import { runLogOf } from '../core/store/log-entry.ts'
import type { Store } from '../core/store/store.ts'
import type { AgentOptions } from './agent-options.ts'
import { readRun, recordInRun } from './run-log.ts'

type Approve = NonNullable<AgentOptions['approve']>

/** What answers a question about a call: the run's own terminal, and whoever appends to the run's log. */
export interface Approving {
  readonly store: Store
  readonly runId: string
  /** The person at the terminal of the run, as `by` calls them; nobody, unless given. */
  readonly here?: Approve
  readonly by: string
  /** How long a call waits for an answer from elsewhere where nobody is here. */
  readonly waitMs: number
}

/** Asks everybody who has the store, and the person here; the first answer counts. Undefined where nobody could answer. */
export function approving({ store, runId, here, by, waitMs }: Approving): Approve | undefined {
  if (!here && waitMs === 0) return undefined
  return async (call, signal) => {
    const { agent_id, seq, tool, effect, args } = call
    const known = await answerTo(store, runId, { agent_id, call: seq })
    if (known) return known.data.allowed
    await recordInRun(store, runId, { type: 'asked', data: { agent_id, call: seq, tool, effect, args } })
    const answered = new AbortController()
    const over = AbortSignal.any([signal, answered.signal, ...(here ? [] : [AbortSignal.timeout(waitMs)])])
    const told = toldElsewhere(store, runId, { agent_id, call: seq }, over)
    try {
      if (!here) return (await told) ?? false
      const first = await Promise.race([told.then((allowed) => ({ allowed })), here(call, over)])
      if (typeof first === 'object') return first.allowed ?? false
      // Whoever ends the run has not answered.
      if (signal.aborted) return false
      const data = { agent_id, call: seq, by, allowed: first }
      await recordInRun(store, runId, { type: 'approval', data })
      return (await answerTo(store, runId, data))?.data.allowed ?? first
    } finally {
      answered.abort()
    }
  }
}

type CallPlace = Pick<EventFor<'approval'>['data'], 'agent_id' | 'call'>

const isAbout = (event: EventFor<'approval' | 'asked'>, { agent_id, call }: CallPlace): boolean =>
  event.data.agent_id === agent_id && event.data.call === call

/** The first answer that stands in the log of the run. */
async function answerTo(
  store: Store,
  runId: string,
  place: CallPlace,
): Promise<EventFor<'approval'> | undefined> {
  for await (const event of readRun(store, runId))
    if (event.type === 'approval' && isAbout(event, place)) return event
  return undefined
}

/** Waits for it; undefined once nobody waits any more. */
async function toldElsewhere(
  store: Store,
  runId: string,
  place: CallPlace,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  for await (const event of store.tail(runLogOf(runId), { signal }))
    if (event.type === 'approval' && isAbout(event, place)) return event.data.allowed
  return undefined
}

/** Calls of a run that wait for a person, oldest first. */
export async function openQuestions(store: Store, runId: string): Promise<EventFor<'asked'>[]> {
  let open: EventFor<'asked'>[] = []
  for await (const event of readRun(store, runId)) {
    if (event.type === 'asked') open.push(event)
    if (event.type === 'approval') open = open.filter(({ data }) => !isAbout(event, data))
  }
  return open
}
