import { TwotrackError } from '../../errors.ts'
import { parseOwner } from '../../files/lock.ts'
import type { Connection } from '../../files/sqlite.ts'
import { unpackLog } from './archive.ts'
import { encodeKeyPart } from './key.ts'
import type { Owners } from './owner.ts'
import { integer, textOrNull } from './row.ts'

/** Makes a store the writer of a log; to be called in a transaction. Gives the generation. */
export function takeLease(connection: Connection, id: string, owners: Owners): number {
  const agent = encodeKeyPart(id)
  const row = connection.get('SELECT * FROM twotrack_lease WHERE agent = ?', agent)
  const owner = row && textOrNull(row, 'owner')
  if (owner && owners.isAlive(owner, integer(row, 'renewed_ms'))) {
    const pid = parseOwner(owner)?.pid
    throw new TwotrackError(
      'locked',
      `Log ${id} is being written by process ${pid}. Wait for it to end, or stop it.`,
      { details: { pid } },
    )
  }
  const generation = (row ? integer(row, 'generation') : 0) + 1
  const take = 'INSERT OR REPLACE INTO twotrack_lease VALUES (?, ?, ?, ?)'
  connection.run(take, agent, generation, owners.self, Date.now())
  owners.hold()
  unpackLog(connection, id)
  return generation
}

/** Throws `conflict` for a lease that is not the newest; to be called in the transaction that relies on it. */
export function assertLease(connection: Connection, id: string, generation: number, owners: Owners): void {
  const row = connection.get('SELECT * FROM twotrack_lease WHERE agent = ?', encodeKeyPart(id))
  if (row && integer(row, 'generation') === generation && row['owner'] === owners.self) return
  throw new TwotrackError(
    'conflict',
    `Log ${id} was taken over by another writer while this one stood still. Open it again.`,
  )
}

export function endLease(connection: Connection, id: string, generation: number): void {
  const end = 'UPDATE twotrack_lease SET owner = NULL WHERE agent = ? AND generation = ?'
  connection.run(end, encodeKeyPart(id), generation)
}

/** Says that the leases of a store still count. */
export function renewLeases(connection: Connection, owners: Owners): void {
  connection.run('UPDATE twotrack_lease SET renewed_ms = ? WHERE owner = ?', Date.now(), owners.self)
}
