import { rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GENESIS } from '../../core/event/event.ts'
import type { Head, Recovery } from '../../core/store/store.ts'
import { codeOf, TwotrackError } from '../../errors.ts'
import {
  diskError,
  namesIn,
  PRIVATE_FILE,
  syncFolder,
  TEMPORARY_ENDING,
  writeFully,
} from '../../files/disk.ts'
import { unpackLog } from './archive.ts'
import { firstHeader } from './first-event.ts'
import { type Layout, LOCK_ENDING, LOG_ENDING, REWRITING_ENDING, TORN_MARK } from './layout.ts'
import { acquireLock } from './lock.ts'
import { openHandle, readLog, readLogEnd } from './read-log.ts'

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
  rmSync(path + REWRITING_ENDING, { force: true })
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
        writeFully(file, torn, 0)
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

/**
 * Removes what work that broke off left of logs: it may hold what the logs do not any more. The torn end of a log goes
 * once something was removed from that log, since it is of the same raw bytes. Logs that can't be read or are being
 * written are left.
 */
export async function removeRemains(layout: Layout): Promise<void> {
  for (const name of await namesIn(layout.traces)) {
    const isTorn = name.includes(TORN_MARK)
    if (!isTorn && !name.endsWith(TEMPORARY_ENDING) && !name.endsWith(REWRITING_ENDING)) continue
    const log = name.slice(0, name.lastIndexOf(LOG_ENDING) + LOG_ENDING.length)
    try {
      const lock = await acquireLock(join(layout.traces, log + LOCK_ENDING), log)
      try {
        if (!isTorn || (await hasTombstone(layout, log))) await rm(join(layout.traces, name), { force: true })
      } finally {
        await lock.release()
      }
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError) || (thrown.code !== 'locked' && thrown.code !== 'damaged'))
        throw thrown
    }
  }
}

async function hasTombstone(layout: Layout, log: string): Promise<boolean> {
  const first = await firstHeader(layout, log)
  if (typeof first !== 'object') return false
  for await (const { header } of readLog(first.agent_id, join(layout.traces, log), { raw: false }))
    if (header.type === 'tombstone') return true
  return false
}
