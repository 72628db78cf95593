import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { codeOf } from '../../errors.ts'
import { GENESIS } from '../../event/event.ts'
import { diskError, PRIVATE_FILE, syncFolder, writeFully } from '../../files/disk.ts'
import type { Head, Recovery } from '../store.ts'
import { unpackLog } from './archive.ts'
import { REWRITING_ENDING, TORN_MARK } from './layout.ts'
import { openHandle, readLogEnd } from './read-log.ts'

/** A log file ready to be appended to. */
export interface WritableLog {
  /** Undefined until the first event makes the file. */
  readonly file: FileHandle | undefined
  readonly size: number
  readonly head: Head
  readonly recovered?: Recovery
}

/**
 * Opens a log whose lock is held. A torn tail is copied aside, then cut; no acknowledged event is in it, since
 * an append is acknowledged after its line feed is on disk.
 */
export async function openForWriting(agentId: string, path: string): Promise<WritableLog> {
  await unpackLog(path)
  await rm(path + REWRITING_ENDING, { force: true })
  const file = await openHandle(path, 'r+')
  if (!file) return { file: undefined, size: 0, head: { seq: 0, hash: GENESIS } }
  try {
    const end = await readLogEnd({ agentId, path, file })
    const head = end.head ?? { seq: 0, hash: GENESIS }
    if (end.torn.length === 0) return { file, size: end.tornOffset, head }
    const kept = await keepAside(path, end.torn, end.tornOffset)
    await file.truncate(end.tornOffset)
    await file.datasync()
    const recovered = { bytes: end.torn.length, offset: end.tornOffset, kept }
    return { file, size: end.tornOffset, head, recovered }
  } catch (cause) {
    await file.close()
    throw diskError('open log', path, cause)
  }
}

async function keepAside(path: string, torn: Uint8Array, offset: number): Promise<string> {
  const mark = TORN_MARK.slice(TORN_MARK.lastIndexOf('.'))
  for (let copy = 1; ; copy++) {
    const kept = `${path}${mark}${offset}${copy === 1 ? '' : `-${copy}`}`
    try {
      const file = await open(kept, 'wx', PRIVATE_FILE)
      try {
        await writeFully(file, torn, 0)
        await file.datasync()
      } finally {
        await file.close()
      }
      await syncFolder(dirname(kept))
      return kept
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw diskError('keep the torn end of a log as', basename(kept), cause)
    }
  }
}
