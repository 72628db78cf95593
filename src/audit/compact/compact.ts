import { messageOf, TwotrackError } from '../../errors.ts'
import { BLOB_UNUSED_MS } from '../../limits.ts'
import type { Store, Swept } from '../../store/store.ts'
import { buryRaw } from './bury.ts'
import { type Decision, decide, type Retention } from './policy.ts'
import { type Survey, surveyLog } from './survey.ts'

/** What one log loses, or why it loses nothing though its time has come. */
export interface CompactedLog {
  readonly agent_id: string
  readonly what: 'pruned' | 'archived' | 'left'
  readonly why: string
  /** Raw output as it was recorded; what compressing saves, where it was done. */
  readonly bytes: number
}

export interface Compacted {
  readonly dry_run: boolean
  readonly logs: readonly CompactedLog[]
  /** Agents that keep their raw output, and why: how many. */
  readonly kept: { readonly open: number; readonly failed: number }
  readonly blobs: Swept
  /** Raw output before, and what was removed of it. */
  readonly raw_bytes: number
  readonly pruned_bytes: number
}

export interface CompactOptions extends Retention {
  /** Only says what would be done. */
  readonly dry_run: boolean
  readonly now_ms?: number
  /** A blob that was stored or asked for in this time stays: an event that names it may be on its way. */
  readonly unused_ms?: number
  readonly onLog?: (done: number, all: number) => void
}

/**
 * Removes raw output whose time is over, and blobs that nothing names any more; compresses old logs. Chain and packets
 * stay as they are. Killed at any time it leaves logs that verify; doing it again does the rest.
 */
export async function compact(store: Store, options: CompactOptions): Promise<Compacted> {
  const { dry_run, now_ms = Date.now(), unused_ms = BLOB_UNUSED_MS, ...retention } = options
  const { surveys, unreadable } = await surveyAll(store, options)
  const decisions = decide(surveys, retention, now_ms)
  const logs: CompactedLog[] = unreadable.map(({ agent_id, why }) => ({
    agent_id,
    what: 'left',
    why,
    bytes: 0,
  }))
  const needed = new Set<string>()
  for (const decision of decisions) {
    const done = await carryOut(store, decision, dry_run)
    logs.push(...done)
    const isPruned = done.some(({ what }) => what === 'pruned')
    for (const digest of decision.survey.blobs.kept) needed.add(digest)
    if (!isPruned) for (const digest of decision.survey.blobs.prunable) needed.add(digest)
  }
  // A log that can't be read may name any blob.
  const isSafe = unreadable.length === 0
  const blobs = isSafe
    ? await store.sweep((digest) => needed.has(digest), { unused_ms, dry_run })
    : { blobs: 0, bytes: 0 }
  if (!dry_run) await store.reclaim()
  const of = (what: CompactedLog['what']) => logs.filter((log) => log.what === what)
  return {
    dry_run,
    logs,
    kept: keptOf(decisions, retention),
    blobs,
    raw_bytes: surveys.reduce((sum, { raw_bytes }) => sum + raw_bytes, 0),
    pruned_bytes: of('pruned').reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function surveyAll(
  store: Store,
  { keep_errors, onLog }: CompactOptions,
): Promise<{ surveys: Survey[]; unreadable: { agent_id: string; why: string }[] }> {
  const surveys: Survey[] = []
  const unreadable: { agent_id: string; why: string }[] = []
  const entries = await store.list()
  for (const { agent_id } of entries) {
    const survey = await surveyLog(store, agent_id, keep_errors)
    if (typeof survey === 'string') unreadable.push({ agent_id, why: survey })
    else surveys.push(survey)
    onLog?.(surveys.length + unreadable.length, entries.length)
  }
  return { surveys, unreadable }
}

async function carryOut(store: Store, decision: Decision, dryRun: boolean): Promise<CompactedLog[]> {
  const { survey, prune, archive } = decision
  const { agent_id } = survey
  const done: CompactedLog[] = []
  try {
    if (prune !== undefined) {
      const isDone = dryRun || (await buryRaw(store, survey, prune))
      done.push(
        isDone
          ? { agent_id, what: 'pruned', why: prune, bytes: survey.prunable_bytes }
          : { agent_id, what: 'left', why: 'something was recorded meanwhile', bytes: 0 },
      )
    }
    if (archive) {
      const bytes = dryRun ? 0 : await store.archive(agent_id)
      if (dryRun || bytes > 0) done.push({ agent_id, what: 'archived', why: 'old', bytes })
    }
  } catch (thrown) {
    // A log that somebody writes, or that is damaged, does not keep the others from their turn.
    if (!(thrown instanceof TwotrackError) || (thrown.code !== 'locked' && thrown.code !== 'damaged'))
      throw thrown
    done.push({ agent_id, what: 'left', why: messageOf(thrown), bytes: 0 })
  }
  return done
}

function keptOf(decisions: readonly Decision[], { keep_errors }: Retention): Compacted['kept'] {
  const holding = decisions.filter(({ survey, prune }) => prune === undefined && survey.raw_bytes > 0)
  return {
    open: holding.filter(({ survey }) => !survey.ended).length,
    failed: keep_errors ? holding.filter(({ survey }) => survey.failed).length : 0,
  }
}
