import { messageOf, TwotrackError } from '../../errors.ts'
import type { Event, EventFor } from '../../event/event.ts'
import { toEvent } from '../../event/line.ts'
import type { Finding } from '../store.ts'
import { type CallRow, callRow } from './calls.ts'
import type { Connection } from './connection.ts'
import { type LogRow, pages } from './read.ts'
import { integerOrNull, type Row } from './row.ts'

/** Compares a log's rows of tool_calls with its events, and on the way finds any damage to the events. */
export async function checkCalls(connection: Connection, log: LogRow): Promise<Finding[]> {
  const findings: Finding[] = []
  const report = (seq: number, what: string) =>
    findings.push({ level: 'error', what, where: `${log.agent} at ${seq}` })
  /** Results that a call's row says were given to it, until they come. */
  const claimed = new Set<number>()
  try {
    for (const page of pages(connection, log, 1, log.head.seq)) {
      for (const opened of page) {
        const { seq, type } = opened.header
        if (opened.payload === null || (type !== 'tool_call' && type !== 'tool_result')) continue
        if (claimed.delete(seq)) continue
        const row = connection.get(
          `SELECT tool_calls.*, result_seq FROM twotrack_call
           LEFT JOIN tool_calls ON tool_calls.id = twotrack_call.id WHERE log = ? AND seq = ?`,
          log.log,
          seq,
        )
        if (!row) {
          report(seq, `a ${type} event has no row in tool_calls`)
          continue
        }
        const resultSeq = integerOrNull(row, 'result_seq')
        if (resultSeq !== null && resultSeq > seq) claimed.add(resultSeq)
        const expected = expectedRow(toEvent(opened), resultFor(connection, log, seq, resultSeq))
        if (expected && !sameRow(row, expected)) report(seq, 'a row of tool_calls differs from its events')
      }
      // Lets other work go on between pages of a long log.
      await new Promise((resolve) => setImmediate(resolve))
    }
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
    report(Number(thrown.details['line'] ?? 0), messageOf(thrown))
    return findings
  }
  for (const seq of claimed) report(seq, 'a row of tool_calls names a result that is not in its log')
  return findings
}

function resultFor(
  connection: Connection,
  log: LogRow,
  seq: number,
  resultSeq: number | null,
): EventFor<'tool_result'> | undefined {
  if (resultSeq === null || resultSeq <= seq) return undefined
  for (const [opened] of pages(connection, log, resultSeq, resultSeq)) {
    if (opened?.header.type !== 'tool_result' || opened.payload === null) return undefined
    const event = toEvent(opened)
    if (event.type === 'tool_result') return event
  }
  return undefined
}

function expectedRow(event: Event, result: EventFor<'tool_result'> | undefined): CallRow | undefined {
  if (event.type === 'tool_call') return callRow(event, result)
  return event.type === 'tool_result' ? callRow(undefined, event) : undefined
}

function sameRow(row: Row, expected: CallRow): boolean {
  return Object.entries(expected).every(([column, value]) => {
    const stored = row[column]
    // SQLite holds text as UTF-8, which has no half surrogate pairs.
    return typeof value === 'string' ? stored === value.toWellFormed() : stored === value
  })
}
