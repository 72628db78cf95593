import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { Connection } from '../../files/sqlite.ts'

const FILE = 'inspect.db'
const VERSION = 6
/** SQLite removes such a file when it is closed. */
const OWN = ''

/** For this process alone where there is no folder yet, or where it can't be written. */
export function openIndex(folder: string | undefined): Connection {
  if (folder === undefined || !existsSync(folder)) return prepared(new Connection(OWN, { busy_ms: 1_000 }))
  try {
    const db = new Connection(join(folder, FILE), { busy_ms: 5_000 })
    const isOurs = Number(db.get('PRAGMA user_version')?.['user_version'] ?? 0) === VERSION
    if (!isOurs) db.exec('DROP TABLE IF EXISTS agents; DROP TABLE IF EXISTS words')
    return prepared(db)
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError)) throw thrown
    return openIndex(undefined)
  }
}

function prepared(db: Connection): Connection {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON; PRAGMA user_version = ${VERSION};
    CREATE TABLE IF NOT EXISTS agents (agent_id TEXT PRIMARY KEY, run_id TEXT, operation TEXT, created TEXT, standing TEXT,
      head TEXT, about TEXT, whole INTEGER, row TEXT);
    CREATE INDEX IF NOT EXISTS by_time ON agents (created DESC, agent_id DESC, standing, operation, run_id, about);
    CREATE INDEX IF NOT EXISTS by_standing ON agents (standing, created DESC, agent_id DESC);
    CREATE INDEX IF NOT EXISTS by_operation ON agents (operation, created DESC, agent_id DESC);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content = '', contentless_delete = 1, detail = none)`)
  return db
}

/** Words of secrets may stand in it: whoever takes them out of the logs removes it as well. */
export const removeAgentIndex = async (folder: string): Promise<void> => {
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, FILE) + end, { force: true })
}
