import { messageOf, TwotrackError } from '../../errors.ts'
import { getBlob, type Store } from '../../store/store.ts'
import { redactFiles } from './files.ts'
import { redactLog } from './log.ts'
import { type Redact, redactBytes } from './texts.ts'

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
}

export interface RedactedLog {
  readonly agent_id: string
  /** Events that changed. */
  readonly events: number
  /** Why it was left as it is. */
  readonly left?: string
}

export interface Redacted {
  readonly dry_run: boolean
  readonly logs: readonly RedactedLog[]
  /** Blobs that held it; others are in their place. */
  readonly blobs: number
  /** Further files, relative to the folder: changed, or removed where they are made again when needed. */
  readonly files: readonly string[]
  /** Whether anything that was to go is still there. */
  readonly left: boolean
}

/**
 * Takes something out of everything that a store holds. Each log is written anew in one step, together with a tombstone
 * that says what changed; then the blobs that held it go, then what else is under the folder. Whatever interrupts it, each
 * log verifies, and doing it again does the rest.
 */
export async function redactStore(store: Store, options: RedactOptions): Promise<Redacted> {
  const { redact, dry_run = false, folder } = options
  const logs = new Map<string, RedactedLog>()
  const replaced = new Set<string>()
  let left = false
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    await redactLogs(store, options, logs)
    const named = await namedBlobs(store)
    const holding = await blobsHolding(store, redact)
    for (const digest of holding) replaced.add(digest)
    if (dry_run) break
    // Never one that an event names: its log was left, or what is to go was learned after the log was read.
    const gone = new Set([...holding].filter((digest) => !named.has(digest)))
    if (gone.size > 0) await store.sweep((digest) => !gone.has(digest), { unused_ms: 0 })
    left = gone.size < holding.size
    if (!left) break
  }
  if (!dry_run && (logs.size > 0 || replaced.size > 0)) await store.reclaim()
  const files = folder === undefined ? [] : await redactFiles(folder, redact, dry_run)
  const all = [...logs.values()]
  return {
    dry_run,
    logs: all,
    blobs: replaced.size,
    files,
    left: left || all.some((log) => log.left !== undefined),
  }
}

async function redactLogs(
  store: Store,
  options: RedactOptions,
  logs: Map<string, RedactedLog>,
): Promise<void> {
  for (const { agent_id } of await store.list()) {
    try {
      const events = await redactLog(store, agent_id, options)
      if (events > 0)
        logs.set(agent_id, { agent_id, events: Math.max(events, logs.get(agent_id)?.events ?? 0) })
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError)) throw thrown
      logs.set(agent_id, { agent_id, events: 0, left: messageOf(thrown) })
    }
  }
}

async function namedBlobs(store: Store): Promise<Set<string>> {
  const named = new Set<string>()
  for (const { agent_id } of await store.list())
    for await (const { raw } of store.read(agent_id))
      for (const { sha256 } of Object.values(raw?.blobs ?? {})) named.add(sha256)
  return named
}

/** All blobs are looked at, whether or not an event names them: one may be left over from an attempt that broke off. */
async function blobsHolding(store: Store, redact: Redact): Promise<Set<string>> {
  const digests: string[] = []
  const keepAll = (digest: string) => digests.push(digest) > 0
  await store.sweep(keepAll, { unused_ms: 0, dry_run: true })
  const found = new Set<string>()
  for (const digest of digests) {
    const bytes = await getBlob(store, digest)
    if (redactBytes(bytes, redact) !== bytes) found.add(digest)
  }
  return found
}
