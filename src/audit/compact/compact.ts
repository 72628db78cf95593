import type { Header } from '../../core/event/event.ts'
import { prune } from '../../core/event/line.ts'
import type { Store, Swept } from '../../core/store/store.ts'
import { messageOf, ownMessage, TwotrackError, undefinedIf } from '../../errors.ts'
import { BLOB_UNUSED_MS } from '../../limits.ts'
import type { MemoryOptions } from '../../memory.ts'
import { settle } from '../../run/propose.ts'
import { sha256 } from '../../sha256.ts'
import { leftoversIn } from '../../workspace/leftovers.ts'
import { eachLog } from '../history.ts'
import { isInStretch, rewriteLog, stretches } from '../redacted.ts'
import {
  type CompactedLog,
  type Decision,
  decideRetention,
  left,
  type Retention,
  type Survey,
  surveyLog,
} from './policy.ts'

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
  const decisions = decideRetention(surveys, retention, now_ms)
  const done = await eachLog(decisions, (decision) => carryOut(store, decision, dry_run), onLog)
  const logs = [...unreadable, ...done.flat()]
  const going = new Map(
    decisions.flatMap(({ survey, prune }) => (prune ? [[survey.agent_id, survey.prunable] as const] : [])),
  )
  const goes = ({ agent_id, seq }: Header) => isInStretch(seq, going.get(agent_id) ?? [])
  const blobs = await store.sweep({ unused_ms, dry_run, ...(dry_run ? { without: goes } : {}) })
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
    open: holding.filter(({ survey }) => survey.agent.outcome === 'open').length,
    failed: keep_errors ? holding.filter(({ survey }) => survey.agent.outcome === 'failed').length : 0,
  }
}

/** Removes raw parts of one log; false when something was recorded since the log was looked at. */
const buryRaw = (
  store: Store,
  { agent_id, head, prunable, buried }: Survey,
  reason: string,
): Promise<boolean> =>
  rewriteLog(store, agent_id, (now) => {
    const seqs: number[] = []
    if (now.hash !== head.hash) return undefined
    return {
      line: (line, { header, raw }) => {
        if (raw === null || header.raw_commitment === null || !isInStretch(header.seq, prunable)) return line
        if (!isInStretch(header.seq, buried)) seqs.push(header.seq)
        return prune(line, sha256)
      },
      taken: () =>
        seqs.length === 0
          ? undefined
          : { by: 'compact', reason, pattern: 'all raw output', raw: stretches(seqs), marked: [] },
    }
  })

/** Where agents worked, and every store that may hold their logs: an agent of one must not look forgotten to another. */
interface WorkspacePlaces extends Pick<MemoryOptions, 'secrets'> {
  readonly project: string
  readonly folder: string
  readonly stores: readonly Store[]
}

/** A workspace or a copy: why it goes or stays, and what removing it gives back. */
interface FoundWorkspace {
  readonly name: string
  readonly reason: string
  readonly bytes: number
  readonly goes: boolean
}

/** Removes workspaces and copies that no command needs any more; what can be accepted or resumed stays. */
async function removeWorkspaces(places: WorkspacePlaces, dryRun: boolean): Promise<FoundWorkspace[]> {
  const found = await leftoversIn(places, async (id) => {
    for (const store of places.stores)
      if (await hasLog(store, id)) return () => settle(store, { ...places, id }, places)
    return undefined
  })
  const told: FoundWorkspace[] = []
  for (const { name, reason, bytes, remove } of found) {
    const problem = dryRun ? undefined : await remove?.().then(() => undefined, ownMessage)
    const goes = remove !== undefined && problem === undefined
    told.push({ name, reason: problem ?? reason, bytes: goes ? bytes : 0, goes })
  }
  return told
}

/** A log that is damaged is one. */
const hasLog = async (store: Store, agentId: string): Promise<boolean> =>
  (await undefinedIf(
    store.head(agentId).then((head) => head !== undefined),
    'damaged',
  )) ?? true
