import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { messageOf, TwotrackError } from '../../errors.ts'
import { toEvent } from '../../event/line.ts'
import { Connection } from '../../files/sqlite.ts'
import type { Finding } from '../store.ts'
import { recordCall } from './calls.ts'
import { type LogRow, readEvents } from './read.ts'
import { integer } from './row.ts'
import { createTables } from './schema.ts'

const rowQuery = `
  SELECT seq, result_seq, call, name, parameters, result, error, status, started_at, completed_at, duration_ms
  FROM twotrack_call LEFT JOIN tool_calls USING (id) WHERE log = ?`

/**
 * Makes a log's rows of tool_calls again and compares; on the way it finds any damage to the events. So it also finds
 * raw output that was pruned from an event and is still in its row.
 */
export async function checkCalls(connection: Connection, log: LogRow): Promise<Finding[]> {
  const findings: Finding[] = []
  const report = (seq: number, what: string) =>
    findings.push({ level: 'error', what, where: `${log.agent} at ${seq}` })
  // A database without a name: SQLite keeps it in a temporary file.
  const again = new Connection('', { busy_ms: 0 })
  try {
    createTables(again)
    for (const opened of readEvents(connection, log, 1)) {
      const { seq, type } = opened.header
      if (type === 'tool_call' || type === 'tool_result') recordCall(again, log.log, toEvent(opened))
      // Lets other work go on while a long log is read.
      if (seq % 16 === 0) await setImmediate()
    }
    for (const expected of again.all(rowQuery, log.log)) {
      const seq = integer(expected, 'seq')
      const stored = connection.get(`${rowQuery} AND seq = ?`, log.log, seq)
      if (!stored) report(seq, 'a call has no row in tool_calls')
      else if (!isDeepStrictEqual(stored, expected))
        report(seq, 'a row of tool_calls differs from its events')
    }
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
    report(Number(thrown.details['line'] ?? 0), messageOf(thrown))
  } finally {
    again.close()
  }
  return findings
}
