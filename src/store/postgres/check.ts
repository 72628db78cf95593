import { openHeader } from '../../core/event/line.ts'
import { isDamaged } from '../../core/store/blob.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import { errorAt, type Finding, warningAt } from '../../core/store/finding.ts'
import { messageOf } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import { downloadBlob } from './blobs.ts'
import type { Connections } from './connections.ts'
import { lineBytes } from './lines.ts'
import type { QueryRow } from './session.ts'

const PAGE_LOGS = 1_000

/** Everything that can be wrong with the tables beside what readers of a log find themselves. */
export async function checkTables(connections: Connections): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of checkLogs(connections)) findings.push(finding)
  for (const { log } of await connections.ask(
    'SELECT DISTINCT log FROM line WHERE NOT EXISTS (SELECT FROM log WHERE log.id = line.log)',
    [],
  ))
    findings.push(errorAt(`log ${log}`, 'lines that belong to no log'))
  for await (const finding of checkBlobs(connections)) findings.push(finding)
  return findings
}

/** The row of a log and what lists say of it must be what its first and its last line say. */
async function* checkLogs(connections: Connections): AsyncGenerator<Finding> {
  for (let after: unknown = 0; ; ) {
    const page = await connections.ask(
      `SELECT log.id, agent, log.seq, log.hash, log.holder IS NOT NULL AND until < clock_timestamp() AS is_left,
         run, operation, node, entry.first, encode(head.bytes, 'base64') AS base64, head.is_packed,
         (SELECT count(*) FROM line WHERE line.log = log.id) AS lines
       FROM log LEFT JOIN entry ON entry.log = log.id LEFT JOIN line AS head ON head.log = log.id AND head.seq = log.seq
       WHERE log.id > $1 ORDER BY log.id LIMIT ${PAGE_LOGS}`,
      [after],
    )
    for (const log of page) {
      const agent = String(log['agent'])
      if (log['is_left'] === true)
        yield warningAt(agent, 'a lease whose holder is gone; the next writer takes it over')
      const problem = problemOf(log)
      if (problem) yield errorAt(agent, problem)
    }
    if (page.length < PAGE_LOGS) return
    after = page.at(-1)?.['id']
  }
}

function problemOf(log: QueryRow): string | undefined {
  if (log['lines'] !== log['seq'])
    return `the log has ${log['lines']} lines, and ${log['seq']} as its row says`
  if (log['seq'] === 0) return undefined
  try {
    const head = lineBytes(log)
    if (typeof head === 'string') return `the last line: ${head}`
    if (openHeader(head, sha256).hash !== log['hash']) return 'the log does not end where its row says'
    if (!(log['first'] instanceof Uint8Array)) return 'the log is missing in lists'
    const { header } = openHeader(log['first'], sha256)
    const same = {
      agent: header.agent_id,
      run: header.run_id,
      operation: header.operation,
      node: header.node_id,
    }
    for (const [name, id] of Object.entries(same))
      if (encodeId(id) !== log[name]) return `lists say another ${name} of it`
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

async function* checkBlobs(connections: Connections): AsyncGenerator<Finding> {
  for (let after = ''; ; ) {
    const page = await connections.ask(
      `SELECT digest FROM blob WHERE digest > $1 ORDER BY digest LIMIT ${PAGE_LOGS}`,
      [after],
    )
    for (const { digest } of page)
      if (await isDamaged(String(digest), downloadBlob(connections, String(digest))))
        yield errorAt(String(digest), 'a blob is damaged; restore it from a copy')
    if (page.length < PAGE_LOGS) break
    after = String(page.at(-1)?.['digest'])
  }
  const [row] = await connections.ask('SELECT count(*) AS uploads FROM blob WHERE digest IS NULL', [])
  if (Number(row?.['uploads']) > 0)
    yield warningAt(
      `${row?.['uploads']} uploads`,
      'blobs that were never finished, or are on their way; "twotrack compact" removes old ones',
    )
}
