import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { assertHead, endedLease } from '../../core/store/chain.ts'
import type { Engine, Lease } from '../../core/store/engine.ts'
import { assertPath } from '../../core/store/given.ts'
import { entryOf } from '../../core/store/log-entry.ts'
import { readHead } from '../../core/store/read.ts'
import type { Store } from '../../core/store/store.ts'
import { storeOver } from '../../core/store/store-over.ts'
import { watchBy } from '../../core/store/watch.ts'
import { TwotrackError } from '../../errors.ts'
import { makeFolder } from '../../files/disk.ts'
import { takeLease } from '../../files/lease.ts'
import { stampAt } from '../../files/stamp.ts'
import { packLog } from './archive.ts'
import { readBlobFile, sweepBlobs, writeBlobFile } from './blobs.ts'
import { checkFolder } from './check.ts'
import { ARCHIVE_ENDING, layoutOf } from './layout.ts'
import { logEnd } from './log-end.ts'
import { reading, readLog } from './log-file.ts'
import { addToIndex, logLists, newestLogs } from './log-index.ts'
import { type OpenLog, openLogFile } from './open-log.ts'
import { removeRemains } from './remains.ts'

export interface JsonlOptions {
  /** Usually `.agentfs`. It is created with the first thing that is written, not before. */
  readonly folder: string
  /**
   * `always` (the default): an append resolves when its events are on disk. `{interval_ms}`: it resolves when the
   * system has them; they survive the end of the process at once, a power failure after at most that time.
   */
  readonly durability?: 'always' | { readonly interval_ms: number }
}

/** Logs as JSON lines in a folder, one file an agent. docs/log-format.md describes the files. */
export const jsonlStore = (options: JsonlOptions): Store => storeOver(jsonlEngine(options))

export function jsonlEngine({ folder, durability = 'always' }: JsonlOptions): Engine {
  assertPath(folder, 'folder')
  if (durability !== 'always' && !(durability.interval_ms > 0)) {
    throw new TwotrackError(
      'bad_argument',
      `A durability interval of ${durability.interval_ms} ms can't be kept; give "always" or more than 0 ms.`,
    )
  }
  const layout = layoutOf(resolve(folder))
  const open = new Map<string, OpenLog>()

  const lease = async (id: string): Promise<OpenLog> => {
    makeFolder(layout.traces)
    const lock = await takeLease(layout.lock(id), `Log ${id}`)
    try {
      const log = await openLogFile(layout.log(id), durability, lock)
      const release = () => {
        open.delete(id)
        return log.release()
      }
      const held = { ...log, release }
      open.set(id, held)
      return held
    } catch (thrown) {
      await lock.release()
      throw thrown
    }
  }
  /** The log that a lease is of; without one, a log that nobody has, for as long as the work takes. */
  const holding = async <T>(id: string, held: Lease | undefined, work: (log: OpenLog) => Promise<T>) => {
    const log = held ? open.get(id) : await lease(id)
    if (!log || (held && log !== held)) throw endedLease(id)
    try {
      return await work(log)
    } finally {
      if (!held) await log.release()
    }
  }

  const engine: Engine = {
    kind: 'jsonl',
    lease,

    append: (id, lines, expected, held) =>
      holding(id, held, async (log) => {
        // Who holds a lease knows the end of the log, and every append looks whether the file was touched.
        if (!held) assertHead(id, await readHead(engine, id), expected)
        const [first] = log.isNew() ? lines : []
        await log.append(lines)
        if (first) addToIndex(layout, [entryOf(first.header)])
      }),

    read: (id, range) => readLog(layout.log(id), range),
    head: (id) => reading(layout.log(id), async (file) => (await logEnd(layout.log(id), file)).last),
    list: logLists(layout),
    newest: (filter, page) => newestLogs(layout, filter, page),
    putBlob: (content, digest) => writeBlobFile(layout, content, digest),
    readBlob: (digest, range) => readBlobFile(layout, digest, range),

    watch(id, changed) {
      const path = id === undefined ? layout.traces : layout.log(id)
      return watchBy(() => JSON.stringify(stampAt(path)) ?? 'absent', changed)
    },

    maintain: {
      rewrite: (id, steps, held) => holding(id, held, (log) => log.rewrite(steps)),

      async archive(id) {
        const lock = await takeLease(layout.lock(id), `Log ${id}`)
        try {
          return await packLog(layout.log(id))
        } finally {
          await lock.release()
        }
      },

      async isArchived(id) {
        const path = layout.log(id)
        return !existsSync(path) && existsSync(path + ARCHIVE_ENDING)
      },

      sweep: (find, options) => sweepBlobs(layout, find, options),
      reclaim: async () => {
        await removeRemains(layout)
        return []
      },
      check: () => checkFolder(layout),
    },

    async close() {
      await Promise.all([...open.values()].map((log) => log.release()))
    },
  }
  return engine
}
