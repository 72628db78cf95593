import { messageOf, TwotrackError } from '../../errors.ts'
import type { Event } from '../../event/event.ts'
import { toEvent } from '../../event/line.ts'
import type { Head, Store } from '../../store/store.ts'
import { isDone } from '../outcome.ts'
import { type Stretch, stretches } from '../tombstone.ts'

/** What one log holds that could go. */
export interface Survey {
  readonly agent_id: string
  readonly head: Head
  /** Of the last thing that the agent did. */
  readonly last_ms: number
  readonly ended: boolean
  /** It ended without having done what it was asked for. */
  readonly failed: boolean
  readonly archived: boolean
  /** Raw parts and their blobs together. */
  readonly raw_bytes: number
  /** Events whose raw part can go, and how much that is. */
  readonly prunable: readonly Stretch[]
  readonly prunable_bytes: number
  /** Stretches that a tombstone names already. */
  readonly buried: readonly Stretch[]
  /** Blobs of raw parts that stay in any case, and of those that can go. */
  readonly blobs: { readonly kept: readonly string[]; readonly prunable: readonly string[] }
}

/** These say nothing of what the agent did. */
const AFTERWARDS = new Set<Event['type']>(['tombstone', 'workspace_accepted', 'workspace_rejected'])

interface RawPart {
  readonly seq: number
  readonly bytes: number
  readonly blobs: readonly string[]
  /** Of the call that it belongs to. */
  readonly call_id?: string
  readonly failed: boolean
}

/** A log that is left alone, and why. */
export interface LeftLog {
  readonly agent_id: string
  readonly what: 'left'
  readonly why: string
  readonly bytes: 0
}

export const left = (agent_id: string, why: string): LeftLog => ({ agent_id, what: 'left', why, bytes: 0 })

/** Reads a whole log; one that can't be read is left alone. */
export async function surveyLog(
  store: Store,
  agentId: string,
  keepErrors: boolean,
): Promise<Survey | LeftLog> {
  const failedCalls = new Set<string>()
  const raws: RawPart[] = []
  const buried: Stretch[] = []
  let head: Head | undefined
  let last_ms = 0
  let ended: string | undefined
  try {
    for await (const opened of store.readLines(agentId)) {
      const event = toEvent(opened)
      head = { seq: event.seq, hash: event.hash }
      if (event.type === 'tombstone') buried.push(...event.data.raw)
      if (event.type === 'tool_result' && event.data.outcome !== 'success')
        failedCalls.add(event.data.call_id)
      if (!AFTERWARDS.has(event.type)) {
        last_ms = Date.parse(event.timestamp)
        ended = event.type === 'run_end' ? event.data.reason : undefined
      }
      if (!event.raw) continue
      const refs = Object.values(event.raw.blobs ?? {})
      raws.push({
        seq: event.seq,
        bytes: opened.header.raw_bytes + refs.reduce((sum, { bytes }) => sum + bytes, 0),
        blobs: refs.map(({ sha256 }) => sha256),
        failed: event.type === 'agent_error',
        ...('call_id' in event.data ? { call_id: event.data.call_id } : {}),
      })
    }
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code === 'closed') throw thrown
    return left(agentId, messageOf(thrown))
  }
  if (!head) return left(agentId, 'it has no events')
  const isError = ({ failed, call_id }: RawPart) =>
    failed || (call_id !== undefined && failedCalls.has(call_id))
  const goes = keepErrors ? raws.filter((raw) => !isError(raw)) : raws
  const stays = keepErrors ? raws.filter(isError) : []
  return {
    agent_id: agentId,
    head,
    last_ms,
    ended: ended !== undefined,
    failed: ended !== undefined && !isDone(ended),
    archived: await store.isArchived(agentId),
    raw_bytes: sum(raws),
    prunable: stretches(goes.map(({ seq }) => seq)),
    prunable_bytes: sum(goes),
    buried,
    blobs: { kept: stays.flatMap(({ blobs }) => blobs), prunable: goes.flatMap(({ blobs }) => blobs) },
  }
}

const sum = (raws: readonly { bytes: number }[]): number =>
  raws.reduce((total, { bytes }) => total + bytes, 0)
