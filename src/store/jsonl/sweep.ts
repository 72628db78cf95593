import { rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { codeOf } from '../../errors.ts'
import { diskError, filesBelow, TEMPORARY_ENDING } from '../../files/disk.ts'
import type { SweepOptions, Swept } from '../store.ts'
import { BLOB_ENDING, type Layout, REMOVING_ENDING } from './layout.ts'

/**
 * Removes blobs that are not needed. One is set aside first and looked at again there: whoever stores the same content
 * meanwhile either touched it before, and it goes back, or finds none and writes it anew. A reader finds it in both
 * places.
 */
export async function sweepBlobs(
  layout: Layout,
  isNeeded: (digest: string) => boolean,
  { unused_ms, dry_run = false }: SweepOptions,
): Promise<Swept> {
  let blobs = 0
  let bytes = 0
  const usedBefore = Date.now() - unused_ms
  for (const path of await filesBelow(layout.blobs)) {
    const found = await lookAt(path)
    if (!found) continue
    const aside = path.endsWith(REMOVING_ENDING)
    const place = aside ? path.slice(0, -REMOVING_ENDING.length) : path
    const isBlob = layout.blob(basename(place, BLOB_ENDING)) === place
    const needed = isBlob && isNeeded(basename(place, BLOB_ENDING))
    const unfinished = path.endsWith(TEMPORARY_ENDING)
    const goes = (isBlob ? !needed : unfinished) && found.used_ms <= usedBefore
    if (aside && !goes && !dry_run) await putBack(path, place)
    if (!goes) continue
    if (dry_run || (await remove(path, isBlob && !aside ? place + REMOVING_ENDING : path, usedBefore))) {
      blobs++
      bytes += found.bytes
    }
  }
  return { blobs, bytes }
}

async function remove(path: string, aside: string, usedBefore: number): Promise<boolean> {
  if (path !== aside) await rename(path, aside)
  const found = await lookAt(aside)
  if (path !== aside && found && found.used_ms > usedBefore) {
    await putBack(aside, path)
    return false
  }
  await rm(aside, { force: true })
  return true
}

/** Where the same content was written anew meanwhile, that one is as good. */
const putBack = (aside: string, place: string): Promise<void> => rename(aside, place)

async function lookAt(path: string): Promise<{ bytes: number; used_ms: number } | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return { bytes: size, used_ms: mtimeMs }
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('look at', path, cause)
  }
}
