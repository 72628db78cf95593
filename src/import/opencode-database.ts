import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import type { Session } from './format.ts'
import { type OpenCodeMessage, openCodeSession } from './opencode-session.ts'

const MAGIC = 'SQLite format 3\0'

/** Whether a file is a database of SQLite. */
export function isDatabase(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    return readSync(file, bytes, 0, MAGIC.length, 0) === MAGIC.length && bytes.toString('latin1') === MAGIC
  } finally {
    closeSync(file)
  }
}

/** The sessions in OpenCode's database, oldest first. Nothing in it is changed. */
export function openCodeSessions(path: string): Session[] {
  const sessions = rowsOf(path, 'SELECT * FROM session ORDER BY time_created, id')
  return sessions.map((row) => {
    const info: JsonObject = {
      id: row['id'] ?? '',
      directory: row['directory'] ?? '',
      version: row['version'] ?? '',
      title: row['title'] ?? '',
      time: { created: row['time_created'] ?? 0 },
      ...(typeof row['parent_id'] === 'string' ? { parentID: row['parent_id'] } : {}),
    }
    return openCodeSession(info, () => messagesOf(path, String(row['id'])))
  })
}

/** Of one session, a message at a time. */
function* messagesOf(path: string, session: string): Iterable<OpenCodeMessage> {
  const database = open(path)
  try {
    const parts = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id')
    const messages = database
      .prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id')
      .all(session)
    for (const message of messages)
      yield { info: dataOf(message), parts: parts.all(message['id'] ?? '').map(dataOf) }
  } finally {
    database.close()
  }
}

/** What a row holds as JSON, with its id. */
function dataOf(row: Record<string, unknown>): JsonObject {
  const data = tryParse(String(row['data'])) as Json | undefined // what parses is JSON
  return { ...(isObject(data) ? data : {}), id: String(row['id']) }
}

function rowsOf(path: string, query: string): Record<string, Json>[] {
  const database = open(path)
  try {
    return database.prepare(query).all() as Record<string, Json>[] // text, numbers and null
  } catch (cause) {
    throw new TwotrackError('bad_import', `${path} is a database, but not one of OpenCode's.`, { cause })
  } finally {
    database.close()
  }
}

const open = (path: string): DatabaseSync => new DatabaseSync(path, { readOnly: true })
