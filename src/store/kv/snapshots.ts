import type { Connection, Row } from '../../files/sqlite.ts'
import { openSnapshot, sealSnapshot } from '../sealed-text.ts'
import type { Snapshot } from '../store.ts'
import { encodeKeyPart } from './key.ts'
import { bytes, integer, text } from './row.ts'

export function putSnapshot(connection: Connection, agentId: string, snapshot: Snapshot): void {
  const agent = encodeKeyPart(agentId)
  const value = Buffer.from(sealSnapshot(agent, snapshot))
  connection.run('INSERT OR REPLACE INTO twotrack_snapshot VALUES (?, ?, ?)', agent, snapshot.seq, value)
}

/** The newest intact snapshot with `seq ≤ seqMax`. */
export function getSnapshot(connection: Connection, agentId: string, seqMax: number): Snapshot | undefined {
  const newest = 'SELECT * FROM twotrack_snapshot WHERE agent = ? AND seq <= ? ORDER BY seq DESC LIMIT 1'
  const row = connection.get(newest, encodeKeyPart(agentId), seqMax)
  return row && (readSnapshot(row) ?? getSnapshot(connection, agentId, integer(row, 'seq') - 1))
}

/** undefined when anything of the row was changed. */
export function readSnapshot(row: Row): Snapshot | undefined {
  const snapshot = openSnapshot(bytes(row, 'value'), text(row, 'agent'))
  return snapshot?.seq === integer(row, 'seq') ? snapshot : undefined
}
