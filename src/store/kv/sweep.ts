import type { Connection } from '../../files/sqlite.ts'
import type { SweepOptions, Swept } from '../store.ts'
import { deleteBlob } from './blobs.ts'
import { integer, text } from './row.ts'

/** Removes blobs that are not needed and were not used lately; to be called in a transaction. */
export function sweepBlobs(
  connection: Connection,
  isNeeded: (digest: string) => boolean,
  { unused_ms, dry_run = false }: SweepOptions,
): Swept {
  const rows = connection.all(
    `SELECT blob, twotrack_blob.sha256, coalesce(sum(length(data)), 0) AS stored
     FROM twotrack_blob LEFT JOIN twotrack_chunk USING (blob) LEFT JOIN twotrack_blob_use USING (blob)
     WHERE twotrack_blob.sha256 IS NOT NULL AND coalesce(used_ms, 0) <= ? GROUP BY blob`,
    Date.now() - unused_ms,
  )
  const unneeded = rows.filter((row) => !isNeeded(text(row, 'sha256')))
  if (!dry_run) for (const row of unneeded) deleteBlob(connection, integer(row, 'blob'))
  return {
    blobs: unneeded.length,
    bytes: unneeded.reduce((sum, row) => sum + integer(row, 'stored'), 0),
  }
}
