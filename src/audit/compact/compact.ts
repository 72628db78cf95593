import { messageOf, TwotrackError } from '../../errors.ts'
import { BLOB_UNUSED_MS } from '../../limits.ts'
import type { Store, Swept } from '../../store/store.ts'
import { eachLog } from '../at-once.ts'
import { buryRaw } from './bury.ts'
import { type Decision, decide, type Retention } from './policy.ts'
import { left, surveyLog } from './survey.ts'
import { type FoundWorkspace, removeWorkspaces, type WorkspacePlaces } from './workspaces.ts'

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
  readonly workspaces: readonly FoundWorkspace[]
}

export interface CompactOptions extends Retention {
  /** Only says what would be done. */
  readonly dry_run: boolean
  readonly now_ms?: number
  /** A blob that was stored or asked for in this time stays: an event that names it may be on its way. */
  readonly unused_ms?: number
  /** Workspaces and copies that nobody needs are removed from here; without it none are looked at. */
  readonly workspaces?: WorkspacePlaces
  readonly onLog?: (done: number, all: number) => void
}

/**
 * Removes raw output whose time is over, blobs that nothing names any more, and workspaces that nobody needs; compresses
 * old logs. Chain and packets stay as they are. Killed at any time it leaves logs that verify; doing it again does the rest.
 */
export async function compact(store: Store, options: CompactOptions): Promise<Compacted> {
  const {
    dry_run,
    now_ms = Date.now(),
    unused_ms = BLOB_UNUSED_MS,
    workspaces,
    onLog,
    ...retention
  } = options
  const entries = await store.list()
  const looked = await eachLog(entries, ({ agent_id }) => surveyLog(store, agent_id, retention.keep_errors))
  const surveys = looked.filter((survey) => 'head' in survey)
  const unreadable = looked.filter((survey) => 'what' in survey)
  const decisions = decide(surveys, retention, now_ms)
  const done = await eachLog(decisions, (decision) => carryOut(store, decision, dry_run), onLog)
  const needed = new Set<string>()
  for (const [at, { survey }] of decisions.entries()) {
    for (const digest of survey.blobs.kept) needed.add(digest)
    if (!done[at]?.some(({ what }) => what === 'pruned'))
      for (const digest of survey.blobs.prunable) needed.add(digest)
  }
  const logs = [...unreadable, ...done.flat()]
  // A log that can't be read may name any blob.
  const blobs =
    unreadable.length > 0
      ? { blobs: 0, bytes: 0 }
      : await store.sweep((digest) => needed.has(digest), { unused_ms, dry_run })
  if (!dry_run) await store.reclaim()
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
  return {
    dry_run,
    logs,
    kept: keptOf(decisions, retention),
    blobs,
    raw_bytes: sum(surveys.map(({ raw_bytes }) => raw_bytes)),
    pruned_bytes: sum(logs.filter(({ what }) => what === 'pruned').map(({ bytes }) => bytes)),
    workspaces: workspaces ? await removeWorkspaces(workspaces, dry_run) : [],
  }
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
          : left(agent_id, 'something was recorded meanwhile'),
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
    done.push(left(agent_id, messageOf(thrown)))
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
