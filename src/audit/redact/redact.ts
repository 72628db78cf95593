import type { LogEntry, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { eachLog } from '../history.ts'
import { redactedBlobs } from './blobs.ts'
import { type RedactedLog, type Redaction, redactLog } from './log.ts'
import { redactFiles } from './texts.ts'

/** A secret that is known by its name in one place may stand without it in another that was read before. */
const PASSES_MAX = 4

export interface RedactOptions extends Omit<Redaction, 'by' | 'pattern'> {
  /** Who asks for it; `redact` unless given. */
  readonly by?: string
  /** What is looked for, in words that do not repeat it. */
  readonly pattern?: string
  /** Everything else under this folder is gone through too: copies of projects, exports, indexes. */
  readonly folder?: string
  readonly onLog?: (done: number, all: number) => void
}

export interface RedactedStore {
  readonly dry_run: boolean
  readonly logs: readonly RedactedLog[]
  /** Blobs that held it; others are in their place. */
  readonly blobs: number
  /** Further files, relative to the folder: changed, or removed where they are made again when needed. */
  readonly files: readonly string[]
  /** Files that are too large to be gone through, and contents that are sealed with a key that is not here. */
  readonly unread: readonly string[]
  /** Blobs that hold it and stay for now: somebody who writes beside may be about to name them. */
  readonly waiting: number
  /** What may still hold bytes of what was removed, and how long. */
  readonly remains: readonly string[]
  /** Whether anything that was to go is, or may be, still there. */
  readonly left: boolean
}

/**
 * Takes something out of everything that a store holds. In each log marks stand in its place, and an event says so, in one
 * step; then the blobs that held it go, then what else is under the folder. Whatever interrupts it, each log verifies, and
 * doing it again does the rest.
 */
export async function redactStore(store: Store, options: RedactOptions): Promise<RedactedStore> {
  const { redact, dry_run = false, folder, onLog, by = 'redact', pattern = 'a text' } = options
  const redaction = { redact, dry_run, by, reason: options.reason, pattern }
  const said = [by, options.reason, pattern]
  if (said.some((text) => redact(text) !== text))
    throw new TwotrackError(
      'bad_argument',
      'Who, why or what holds what is to go, and these are recorded. Say it in other words.',
    )
  const logs = new Map<string, RedactedLog>()
  let found = 0
  let waiting = 0
  let shut: readonly string[] = []
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const blobs = redactedBlobs(store, redact, dry_run)
    const entries: LogEntry[] = []
    for await (const entry of store.each()) entries.push(entry)
    const done = await eachLog(entries, ({ agent_id }) => redactLog(store, agent_id, redaction, blobs), onLog)
    const changed = done.filter((log) => log.events > 0 || log.left !== undefined)
    for (const log of changed)
      logs.set(log.agent_id, {
        ...logs.get(log.agent_id),
        ...log,
        events: Math.max(log.events, logs.get(log.agent_id)?.events ?? 0),
      })
    waiting = (await store.sweep({ unused_ms: 0, dry_run, only: blobs.holds })).waiting
    found = Math.max(found, blobs.found())
    shut = blobs.shut()
    if (dry_run || !redact.within || !changed.some(({ events }) => events > 0)) break
  }
  const remains = dry_run ? [] : await store.reclaim()
  const beside = folder === undefined ? { files: [], unread: [] } : await redactFiles(folder, redact, dry_run)
  const { files } = beside
  const unread = [...beside.unread, ...shut.map((digest) => `blob ${digest}, sealed with another key`)]
  const all = [...logs.values()]
  const left = waiting + unread.length > 0 || all.some((log) => log.left !== undefined)
  return { dry_run, logs: all, blobs: found, files, unread, waiting, remains, left: left && !dry_run }
}
