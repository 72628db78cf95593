import type { Connection } from '../../files/sqlite.ts'
import type { SweepOptions, Swept } from '../store.ts'
import { deleteBlob } from './blobs.ts'
import type { Owners } from './owner.ts'
import { integer, text } from './row.ts'

const NOTHING: Swept = { blobs: 0, bytes: 0 }

/**
 * Removes blobs that are not needed; to be called in a transaction. While anybody writes logs none goes, since an event
 * that names one may be on its way; they go the next time. So `unused_ms` matters only in that 0 says not to wait.
 */
export function sweepBlobs(
  connection: Connection,
  owners: Owners,
  isNeeded: (digest: string) => boolean,
  { unused_ms, dry_run = false }: SweepOptions,
): Swept {
  const rows = connection.all(
    `SELECT twotrack_blob.blob, twotrack_blob.sha256, coalesce(sum(length(data)), 0) AS stored
     FROM twotrack_blob LEFT JOIN twotrack_chunk USING (blob)
     WHERE twotrack_blob.sha256 IS NOT NULL GROUP BY twotrack_blob.blob`,
  )
  const unneeded = rows.filter((row) => !isNeeded(text(row, 'sha256')))
  const swept = {
    blobs: unneeded.length,
    bytes: unneeded.reduce((sum, row) => sum + integer(row, 'stored'), 0),
  }
  if (dry_run) return swept
  if (unused_ms > 0 && isWritten(connection, owners)) return NOTHING
  for (const row of unneeded) deleteBlob(connection, integer(row, 'blob'))
  return swept
}

function isWritten(connection: Connection, owners: Owners): boolean {
  const rows = connection.all('SELECT DISTINCT owner FROM twotrack_log WHERE owner IS NOT NULL')
  return rows.some((row) => owners.isAlive(text(row, 'owner')))
}
