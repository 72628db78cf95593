import { setImmediate } from 'node:timers/promises'
import { openHeader } from '../../core/event/line.ts'
import { isDamaged } from '../../core/store/blob.ts'
import { errorAt, type Finding } from '../../core/store/finding.ts'
import { messageOf } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { readChunks } from './blobs.ts'
import { existingIndexes } from './indexes.ts'
import { decodeKeyPart, indexRow, traceKey } from './key.ts'
import { logLines } from './lines.ts'
import { columnBytes, text } from './row.ts'

/** Everything that can be wrong with the file beside what readers of a log find themselves. */
export async function check(connection: Connection): Promise<Finding[]> {
  const pagesFound = checkPages(connection)
  // A file whose pages are damaged can't be trusted to answer queries: its other findings would mislead.
  if (pagesFound.length > 0) return pagesFound
  const findings: Finding[] = []
  for (const found of [checkEvents(connection), checkIndexes(connection), checkBlobs(connection)])
    for await (const finding of found) {
      if (finding) findings.push(finding)
      // Lets other work go on meanwhile.
      else await setImmediate()
    }
  return findings
}

type Findings = Generator<Finding | undefined>

function checkPages(connection: Connection): Finding[] {
  const lines = connection.all('PRAGMA integrity_check').map((row) => text(row, 'integrity_check'))
  return lines.filter((line) => line !== 'ok').map((line) => errorAt(connection.file, line))
}

/** Rows of events and `twotrack_event`, which has their order, must name each other, and the events must agree. */
function* checkEvents(connection: Connection): Findings {
  const strays = connection.all(
    `SELECT key FROM kv_store WHERE key >= 'trace:' AND key < 'trace;'
     AND key NOT IN (SELECT key FROM twotrack_event)`,
  )
  for (const row of strays) yield errorAt(text(row, 'key'), 'an event row that belongs to no log')
  for (const { agent } of connection.all('SELECT DISTINCT agent FROM twotrack_event')) {
    try {
      const id = decodeKeyPart(String(agent))
      for (const { bytes, seq, key } of logLines(connection, id)) {
        const problem = problemOf(bytes, id, seq, key)
        if (problem) yield errorAt(key, `the row of an event: ${problem}`)
        yield undefined
      }
    } catch (thrown) {
      yield errorAt(String(agent), messageOf(thrown))
    }
  }
}

function problemOf(line: Uint8Array, id: string, seq: number, key: string): string | undefined {
  try {
    const { header } = openHeader(line, sha256)
    const isOwn = header.agent_id === id && header.seq === seq && traceKey(header) === key
    return isOwn ? undefined : 'it is another one than its key and its place in the log say'
  } catch (thrown) {
    return messageOf(thrown)
  }
}

function* checkIndexes(connection: Connection): Findings {
  const existing = existingIndexes(connection)
  const expected = new Map<string, string>()
  for (const row of connection.all('SELECT key FROM twotrack_event'))
    for (const index of existing) {
      const { key, value } = indexRow(index, text(row, 'key'))
      expected.set(key, value)
    }
  const rows = `SELECT key, CAST(value AS BLOB) AS value FROM kv_store WHERE key >= 'index:' AND key < 'index;'`
  for (const row of connection.all(rows)) {
    const key = text(row, 'key')
    const value = expected.get(key)
    if (value === undefined) yield errorAt(key, 'an index row names what is in no log')
    else if (!Buffer.from(value).equals(columnBytes(row, 'value')))
      yield errorAt(key, 'an index row says something else than the events')
    expected.delete(key)
  }
  for (const key of expected.keys()) yield errorAt(key, 'an index row is missing')
}

async function* checkBlobs(connection: Connection): AsyncGenerator<Finding | undefined> {
  for (const row of connection.all('SELECT sha256 FROM twotrack_blob')) {
    const digest = text(row, 'sha256')
    if (await isDamaged(digest, readChunks(connection, digest)))
      yield errorAt(digest, 'a blob is damaged; storing its content again heals it')
    yield undefined
  }
}
