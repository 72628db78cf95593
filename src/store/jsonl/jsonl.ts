import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { toEvent } from '../../core/event/line.ts'
import { entryOf } from '../../core/store/log-entry.ts'
import type { Durability, LogWriter, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { diskError, makeFolder } from '../../files/disk.ts'
import { packLog } from './archive.ts'
import { putBlob, readBlob, sweepBlobs } from './blobs.ts'
import { checkFolder } from './check.ts'
import { ARCHIVE_ENDING, layoutOf } from './layout.ts'
import { acquireLock } from './lock.ts'
import { addToIndex, listLogs } from './log-index.ts'
import { logWriter } from './log-writer.ts'
import { missingLog, openLog, readLog, readLogEnd } from './read-log.ts'
import { openForWriting, removeRemains } from './recover.ts'

export interface JsonlOptions {
  /** Usually `.agentfs`. It is created with the first thing that is written, not before. */
  readonly folder: string
  /**
   * `always` (the default): an append resolves when its events are on disk. `{interval_ms}`: it resolves when the
   * system has them; they survive the end of the process at once, a power failure after at most that time.
   */
  readonly durability?: Durability
}

/** Logs as JSON lines in a folder, one file an agent. docs/log-format.md describes the files. */
export function jsonlStore({ folder, durability = 'always' }: JsonlOptions): Store {
  if (durability !== 'always' && !(durability.interval_ms > 0)) {
    throw new TwotrackError(
      'bad_argument',
      `A durability interval of ${durability.interval_ms} ms can't be kept; give "always" or more than 0 ms.`,
    )
  }
  const all = layoutOf(resolve(folder))
  const writers = new Set<LogWriter>()
  const closing = new AbortController()
  /** Where everything is, as long as the store is open. */
  const layout = () => {
    if (closing.signal.aborted) throw new TwotrackError('closed', 'This store is closed.')
    return all
  }

  return {
    kind: 'jsonl',

    async open(agentId) {
      const path = layout().log(agentId)
      makeFolder(all.traces)
      const lock = await acquireLock(all.lock(agentId), `Log ${agentId}`)
      try {
        const writer: LogWriter = logWriter(await openForWriting(agentId, path), {
          agentId,
          path,
          durability,
          lock,
          onCreated: ({ event }) => addToIndex(all, [entryOf(event)]),
          onClosed: () => writers.delete(writer),
        })
        writers.add(writer)
        return writer
      } catch (thrown) {
        await lock.release()
        throw thrown
      }
    },

    async *read(agentId, range = {}) {
      for await (const opened of readLog(agentId, layout().log(agentId), range)) yield toEvent(opened)
    },

    async *readLines(agentId, range = {}) {
      yield* readLog(agentId, layout().log(agentId), range)
    },

    async *tail(agentId, { from = 1, signal }) {
      const either = AbortSignal.any([signal, closing.signal])
      const lines = readLog(agentId, layout().log(agentId), { from }, either)
      for await (const opened of lines) yield toEvent(opened)
    },

    async head(agentId) {
      const path = layout().log(agentId)
      const log = await openLog(agentId, path)
      if (!log) return undefined
      try {
        return (await readLogEnd(log)).head
      } catch (cause) {
        throw diskError('read log', path, cause)
      } finally {
        await log.file.close()
      }
    },

    list: async (filter = {}) => listLogs(layout(), filter),
    putBlob: async (content, media) => putBlob(layout(), content, media),

    async *readBlob(digest) {
      yield* readBlob(layout(), digest)
    },

    sweep: async (isNeeded, options) => sweepBlobs(layout(), isNeeded, options),

    async archive(agentId) {
      const path = layout().log(agentId)
      if (!(await this.head(agentId))) throw missingLog(agentId, path)
      const lock = await acquireLock(all.lock(agentId), `Log ${agentId}`)
      try {
        return await packLog(path)
      } finally {
        await lock.release()
      }
    },

    async isArchived(agentId) {
      const path = layout().log(agentId)
      return !existsSync(path) && existsSync(path + ARCHIVE_ENDING)
    },

    reclaim: async () => removeRemains(layout()),
    check: async () => checkFolder(layout()),

    async close() {
      closing.abort()
      await Promise.all([...writers].map((writer) => writer.close()))
    },
  }
}
