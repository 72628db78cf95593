import { join } from 'node:path'
import { encodeId } from '../../core/store/encode-id.ts'

/** Where everything is in the store's folder. No other file joins paths. */
export interface Layout {
  readonly traces: string
  readonly blobs: string
  readonly index: string
  log(agentId: string): string
  lock(agentId: string): string
  blob(digest: string): string
}

export const LOG_ENDING = '.jsonl'
export const LOCK_ENDING = '.lock'
export const BLOB_ENDING = '.zst'
export const TORN_MARK = '.jsonl.torn-'
/** Of a compressed log, after its usual name. */
export const ARCHIVE_ENDING = '.zst'
/** Of a log that is being written anew. */
export const REWRITING_ENDING = '.rewriting'
/** Of a blob on its way out. */
export const REMOVING_ENDING = '.removing'

export const logName = (agentId: string): string => encodeId(agentId) + LOG_ENDING

/** The names of the logs among the names of files, compressed ones included. */
export const logNames = (files: readonly string[]): string[] => [
  ...new Set(
    files.flatMap((file) => {
      const name = file.endsWith(LOG_ENDING + ARCHIVE_ENDING) ? file.slice(0, -ARCHIVE_ENDING.length) : file
      return name.endsWith(LOG_ENDING) ? [name] : []
    }),
  ),
]

export function layoutOf(folder: string): Layout {
  const traces = join(folder, 'traces')
  const blobs = join(folder, 'blobs')
  return {
    traces,
    blobs,
    index: join(folder, 'traces.index'),
    log: (agentId) => join(traces, logName(agentId)),
    lock: (agentId) => join(traces, logName(agentId) + LOCK_ENDING),
    blob: (digest) => join(blobs, digest.slice(0, 2), digest + BLOB_ENDING),
  }
}
