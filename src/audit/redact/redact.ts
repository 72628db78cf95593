import { messageOf, TwotrackError } from '../../errors.ts'
import { getBlob, type Store } from '../../store/store.ts'
import { redactFiles } from './files.ts'
import { redactLog } from './log.ts'
import { type Redact, redactBytes } from './texts.ts'

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
  const logs: RedactedLog[] = []
  for (const { agent_id } of await store.list()) {
    try {
      const events = await redactLog(store, agent_id, options)
      if (events > 0) logs.push({ agent_id, events })
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError)) throw thrown
      logs.push({ agent_id, events: 0, left: messageOf(thrown) })
    }
  }
  const left = logs.some((log) => log.left !== undefined)
  const gone = await blobsHolding(store, redact)
  // A log that was left may still name them.
  if (!dry_run && !left && gone.size > 0) {
    await store.sweep((digest) => !gone.has(digest), { unused_ms: 0 })
    await store.reclaim()
  } else if (!dry_run && logs.length > 0) await store.reclaim()
  const files = folder === undefined ? [] : await redactFiles(folder, redact, dry_run)
  return { dry_run, logs, blobs: gone.size, files, left }
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
