import { resolve } from 'node:path'
import { type Opened, toEvent } from '../../core/event/line.ts'
import { missingBlob } from '../../core/store/blob.ts'
import { isPastPause } from '../../core/store/follow.ts'
import { byCreation, matches } from '../../core/store/log-entry.ts'
import {
  type Durability,
  type Head,
  type IndexName,
  indexNames,
  type ReadOptions,
  type Store,
} from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { isArchived, packLog } from './archive.ts'
import { dropUnfinishedBlobs, putBlob, readChunks, sweepBlobs } from './blobs.ts'
import { check } from './check.ts'
import { Database } from './database.ts'
import { entryOfLog, keepIndexes } from './index-rows.ts'
import { Owners } from './owner.ts'
import { allLogs, checkEnd, findLog, type LogRow, readEvents } from './read.ts'
import { openWriter, releaseLocks } from './writer.ts'

export interface KvOptions {
  /** The SQLite file; it and its folder are created by the first write. */
  readonly file: string
  readonly durability?: Durability
  /** The indexes to keep, for other programs that read the file. All by default. */
  readonly indexing?: readonly IndexName[]
}

/** A store in one SQLite file with AgentFS's schema, so that AgentFS's tools read its traces and tool calls. */
export function kvStore({ file, durability = 'always', indexing = indexNames }: KvOptions): Store {
  const owners = new Owners(resolve(file))
  const database = new Database(file, durability, (connection) => {
    keepIndexes(connection, indexing)
    dropUnfinishedBlobs(connection, owners)
  })
  let locks = false

  const find = (agentId: string): { connection: Connection; log: LogRow } | undefined => {
    const connection = database.reading()
    const log = connection && findLog(connection, agentId)
    return log && log.head.seq > 0 ? { connection, log } : undefined
  }
  const get = (agentId: string) => {
    const found = find(agentId)
    if (!found) throw new TwotrackError('missing', `There is no log of ${agentId} in ${file}.`)
    return found
  }

  async function* readLines(
    agentId: string,
    { from = 1, to, raw }: ReadOptions = {},
  ): AsyncGenerator<Opened> {
    const { connection, log } = get(agentId)
    yield* readEvents(connection, log, from, to, undefined, raw)
  }

  return {
    kind: 'kv',
    readLines,

    async open(agentId) {
      const writer = await openWriter(database, agentId, owners)
      locks = true
      return writer
    },

    async *read(agentId, range) {
      for await (const opened of readLines(agentId, range)) yield toEvent(opened)
    },

    async *tail(agentId, { from = 1, signal }) {
      let next = Math.max(from, 1)
      let previous: Head | undefined
      do {
        const { connection, log } = get(agentId)
        for (const opened of readEvents(connection, log, next, log.head.seq, previous)) {
          if (signal.aborted || database.closed) return
          previous = { seq: opened.header.seq, hash: opened.hash }
          next = previous.seq + 1
          yield toEvent(opened)
        }
      } while ((await isPastPause(signal)) && !database.closed)
    },

    async head(agentId) {
      const found = find(agentId)
      if (!found) return undefined
      checkEnd(found.connection, found.log)
      return found.log.head
    },

    async list(filter = {}) {
      const connection = database.reading()
      if (!connection) return []
      const entries = allLogs(connection).flatMap((log) => entryOfLog(connection, log) ?? [])
      return entries.filter((entry) => matches(entry, filter)).sort(byCreation)
    },

    putBlob: (content, media) => putBlob(database, content, media, owners),

    async *readBlob(digest) {
      const connection = database.reading()
      if (!connection) throw missingBlob(digest, file)
      yield* readChunks(connection, digest)
    },

    async sweep(isNeeded, options) {
      if (!database.reading()) return { blobs: 0, bytes: 0 }
      return database.commit((connection) => sweepBlobs(connection, isNeeded, options))
    },

    async archive(agentId) {
      const { connection: reading, log } = get(agentId)
      if (isArchived(reading, log.log)) return 0
      const writer = await openWriter(database, agentId, owners)
      try {
        return await database.commit((connection) => packLog(connection, log.log))
      } finally {
        await writer.close()
      }
    },

    async isArchived(agentId) {
      const found = find(agentId)
      return found !== undefined && isArchived(found.connection, found.log.log)
    },

    async reclaim() {
      if (database.reading()) await database.reclaim()
    },

    async check() {
      const connection = database.reading()
      return connection ? check(connection, owners) : []
    },

    async close() {
      if (database.closed) return
      try {
        if (locks) await database.commit((connection) => releaseLocks(connection, owners.self))
      } finally {
        database.close()
        owners.release()
      }
    },
  }
}
