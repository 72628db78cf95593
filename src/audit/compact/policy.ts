import { contentTypes } from '../../core/event/event.ts'
import { defined } from '../../core/event/json.ts'
import { toEvent } from '../../core/event/line.ts'
import type { Head, Store } from '../../core/store/store.ts'
import { ownMessage } from '../../errors.ts'
import { type AgentSummary, agentSummary } from '../../run/agent-summary.ts'
import { type Stretch, stretches } from '../redacted.ts'

export interface Survey {
  readonly agent_id: string
  readonly head: Head
  readonly agent: AgentSummary
  readonly archived: boolean
  /** Raw parts and their blobs together. */
  readonly raw_bytes: number
  /** Events whose raw part can go, and how much that is. */
  readonly prunable: readonly Stretch[]
  readonly prunable_bytes: number
  /** Stretches that are said to be removed already. */
  readonly buried: readonly Stretch[]
}

/** What one log loses, or why it loses nothing though its time has come. */
export interface CompactedLog {
  readonly agent_id: string
  readonly what: 'pruned' | 'archived' | 'left'
  readonly why: string
  /** Raw output as it was recorded; what compressing saves, where it was done. */
  readonly bytes: number
}

export const left = (agent_id: string, why: string): CompactedLog => ({
  ...{ agent_id, what: 'left', why, bytes: 0 },
})

/** Reads a whole log; one that can't be read is left alone. */
export async function surveyLog(
  store: Store,
  agentId: string,
  keepErrors: boolean,
): Promise<Survey | CompactedLog> {
  const failedCalls = new Set<string>()
  const raws: {
    seq: number
    bytes: number
    call_id: string | undefined
    failed: boolean
    changes: boolean
  }[] = []
  const buried: Stretch[] = []
  let head: Head | undefined
  let agent: AgentSummary | undefined
  try {
    for await (const opened of store.readLines(agentId)) {
      const event = toEvent(opened)
      head = { seq: event.seq, hash: event.hash }
      agent = agentSummary(agent, event)
      if (event.type === 'redacted') buried.push(...event.data.raw)
      if (event.type === 'tool_result' && event.data.outcome !== 'success')
        failedCalls.add(event.data.call_id)
      if (!event.raw) continue
      const refs = Object.values(event.raw.blobs ?? {})
      raws.push({
        seq: event.seq,
        bytes: opened.rawBytes + refs.reduce((totalBytes, { bytes }) => totalBytes + bytes, 0),
        failed: event.type === 'agent_error',
        changes: contentTypes.has(event.type),
        call_id: 'call_id' in event.data ? event.data.call_id : undefined,
      })
    }
  } catch (thrown) {
    return left(agentId, ownMessage(thrown))
  }
  if (!head || !agent) return left(agentId, 'it has no events')
  // What an agent changed is kept as long as its log: it may still be taken, and is what it did.
  const goes = raws.filter(
    ({ changes, failed, call_id = '' }) => !changes && !(keepErrors && (failed || failedCalls.has(call_id))),
  )
  return {
    agent_id: agentId,
    head,
    agent,
    archived: await store.isArchived(agentId),
    raw_bytes: totalBytes(raws),
    prunable: stretches(goes.map(({ seq }) => seq)),
    prunable_bytes: totalBytes(goes),
    buried,
  }
}

const totalBytes = (raws: readonly { bytes: number }[]): number =>
  raws.reduce((total, { bytes }) => total + bytes, 0)

const DAY_MS = 86_400_000

/** What is kept, and for how long. `null` keeps it. */
export interface Retention {
  /** Raw output of agents that ended more days ago than this is removed. */
  readonly raw_days: number | null
  /** All raw output together may have so many bytes; that of the agents that ended first is removed. */
  readonly raw_bytes: number | null
  /** Keeps all raw output of agents that did not do what they were asked for, and of every call that failed. */
  readonly keep_errors: boolean
  /** Logs of agents that ended more days ago than this are compressed. */
  readonly archive_days: number | null
}

export interface Decision {
  readonly survey: Survey
  /** Why its raw output goes; undefined when it stays. */
  readonly prune?: string
  readonly archive: boolean
}

/** Decides about every log. An agent that has not ended may need its raw output to go on, and keeps it. Pure. */
export function decideRetention(
  surveys: readonly Survey[],
  retention: Retention,
  now_ms: number,
): Decision[] {
  const { raw_days, raw_bytes, archive_days } = retention
  const isPast = ({ agent }: Survey, days: number | null): boolean =>
    days !== null && agent.outcome !== 'open' && now_ms - Date.parse(agent.last) > days * DAY_MS
  const goes = new Map<Survey, string>()
  for (const survey of surveys)
    if (mayGo(survey, retention) && isPast(survey, raw_days)) goes.set(survey, `older than ${raw_days} days`)
  if (raw_bytes !== null) {
    let left = surveys.reduce(
      (totalBytes, one) => totalBytes + one.raw_bytes - (goes.has(one) ? one.prunable_bytes : 0),
      0,
    )
    for (const survey of surveys.toSorted((a, b) => Date.parse(a.agent.last) - Date.parse(b.agent.last))) {
      if (left <= raw_bytes) break
      if (goes.has(survey) || !mayGo(survey, retention)) continue
      goes.set(survey, `raw output is over ${raw_bytes} bytes`)
      left -= survey.prunable_bytes
    }
  }
  return surveys.map((survey) => {
    const prune = goes.get(survey)
    const archive = !survey.archived && isPast(survey, archive_days)
    return { survey, archive, ...defined({ prune }) }
  })
}

const mayGo = ({ agent, prunable }: Survey, { keep_errors }: Retention): boolean =>
  agent.outcome !== 'open' && prunable.length > 0 && !(keep_errors && agent.outcome === 'failed')
