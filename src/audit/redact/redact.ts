import type { Store } from '../../core/store/store.ts'
import { eachLog } from '../history.ts'
import { type RedactedLog, redactedBlobs, redactLog } from './log.ts'
import { type Redact, redactFiles } from './texts.ts'

/** A secret that is known by its name in one place may stand without it in another that was read before. */
const PASSES_MAX = 4

export interface RedactOptions {
  readonly redact: Redact
  /** Recorded in the tombstone. It must not repeat what is to go. */
  readonly reason: string
  /** Only says what would change. */
  readonly dry_run?: boolean
  /** Everything else under this folder is gone through too: copies of projects, exports, indexes. */
  readonly folder?: string
  readonly onLog?: (done: number, all: number) => void
}

export interface Redacted {
  readonly dry_run: boolean
  readonly logs: readonly RedactedLog[]
  /** Blobs that held it; others are in their place. */
  readonly blobs: number
  /** Further files, relative to the folder: changed, or removed where they are made again when needed. */
  readonly files: readonly string[]
  /** Files that are too large to be gone through. */
  readonly unread: readonly string[]
  /** Whether anything that was to go is, or may be, still there. */
  readonly left: boolean
}

/**
 * Takes something out of everything that a store holds. Each log is written anew in one step, together with a tombstone
 * that says what changed; then the blobs that held it go, then what else is under the folder. Whatever interrupts it, each
 * log verifies, and doing it again does the rest.
 */
export async function redactStore(store: Store, options: RedactOptions): Promise<Redacted> {
  const { redact, dry_run = false, folder, onLog } = options
  const logs = new Map<string, RedactedLog>()
  const replaced = new Set<string>()
  let left = false
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const blobs = redactedBlobs(store, redact, dry_run)
    const entries = await store.list()
    const done = await eachLog(entries, ({ agent_id }) => redactLog(store, agent_id, options, blobs), onLog)
    const changed = done.filter((log) => log.events > 0 || log.left !== undefined)
    for (const { blobs: _, ...log } of changed)
      logs.set(log.agent_id, { ...log, events: Math.max(log.events, logs.get(log.agent_id)?.events ?? 0) })
    const holding = await blobs.holding()
    for (const digest of holding) replaced.add(digest)
    if (dry_run) break
    // Never one that an event names: its log was left, or what is to go was learned after the log was read.
    const named = new Set(done.flatMap(({ blobs }) => blobs))
    await store.sweep((digest) => named.has(digest) || !holding.has(digest), { unused_ms: 0 })
    left = changed.some((log) => log.left !== undefined) || [...holding].some((digest) => named.has(digest))
    if (!redact.within || changed.length === 0) break
  }
  if (!dry_run) await store.reclaim()
  const { files, unread } =
    folder === undefined ? { files: [], unread: [] } : await redactFiles(folder, redact, dry_run)
  return {
    ...{ dry_run, logs: [...logs.values()], blobs: replaced.size, files, unread },
    left: left || unread.length > 0,
  }
}
