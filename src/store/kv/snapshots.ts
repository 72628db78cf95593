import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import type { Snapshot } from '../store.ts'
import type { Connection } from './connection.ts'
import { encodeKeyPart } from './key.ts'
import { bytes, integer, type Row, text } from './row.ts'

export function putSnapshot(connection: Connection, agentId: string, snapshot: Snapshot): void {
  const agent = encodeKeyPart(agentId)
  // As JSON, since UTF-8 alone would lose half a surrogate pair.
  const state = zstdCompressSync(JSON.stringify(snapshot.state))
  connection.run(
    'INSERT OR REPLACE INTO twotrack_snapshot VALUES (?, ?, ?, ?, ?)',
    agent,
    snapshot.seq,
    snapshot.hash,
    state,
    checksum(agent, snapshot.seq, snapshot.hash, state),
  )
}

/** The newest intact snapshot with `seq ≤ seqMax`. */
export function getSnapshot(connection: Connection, agentId: string, seqMax: number): Snapshot | undefined {
  const newestFirst = 'SELECT * FROM twotrack_snapshot WHERE agent = ? AND seq <= ? ORDER BY seq DESC'
  for (const row of connection.each(newestFirst, encodeKeyPart(agentId), seqMax)) {
    const snapshot = readSnapshot(row)
    if (snapshot) return snapshot
  }
  return undefined
}

/** undefined when anything of the row was changed. */
export function readSnapshot(row: Row): Snapshot | undefined {
  try {
    const [seq, hash, state] = [integer(row, 'seq'), text(row, 'hash'), bytes(row, 'state')]
    if (checksum(text(row, 'agent'), seq, hash, state) !== text(row, 'sha256')) return undefined
    return { seq, hash, state: z.string().parse(JSON.parse(zstdDecompressSync(state).toString())) }
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return undefined
    throw thrown
  }
}

const checksum = (agent: string, seq: number, hash: string, state: Uint8Array): string =>
  sha256([agent, seq, hash, sha256(state)].join('\n'))
