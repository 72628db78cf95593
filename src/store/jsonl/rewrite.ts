import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { GENESIS } from '../../core/event/event.ts'
import { rewriting } from '../../core/store/follow.ts'
import type { Head, LogWriter } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { PRIVATE_FILE, syncFolder, writeFully } from '../../files/disk.ts'
import { REWRITING_ENDING } from './layout.ts'
import { lines } from './lines.ts'
import { openLine } from './scan.ts'

const WRITE_BYTES = 1024 * 1024
const LINE_FEED = Buffer.from('\n')

interface Rewritten {
  /** Open for writing, in the place of the old one. */
  readonly file: FileHandle
  readonly size: number
  readonly head: Head
}

type Steps = Parameters<LogWriter['rewrite']>

/**
 * Writes a log anew beside itself and puts it in its place: who reads sees all of the old or all of the new. Undefined
 * when nothing changes.
 */
export async function rewriteLog(
  agentId: string,
  path: string,
  from: FileHandle,
  steps: Steps,
): Promise<Rewritten | undefined> {
  const temporary = path + REWRITING_ENDING
  const file = await open(temporary, 'w+', PRIVATE_FILE)
  try {
    const written = await writeChanged(agentId, from, file, steps)
    if (written) {
      await file.sync()
      await rename(temporary, path)
      await syncFolder(dirname(path))
      return { file, ...written }
    }
  } catch (thrown) {
    await file.close()
    await rm(temporary, { force: true })
    throw thrown
  }
  await file.close()
  await rm(temporary, { force: true })
  return undefined
}

async function writeChanged(
  agentId: string,
  from: FileHandle,
  to: FileHandle,
  steps: Steps,
): Promise<{ size: number; head: Head } | undefined> {
  const anew = rewriting(agentId, steps)
  let before = { seq: 0, hash: GENESIS }
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let size = 0
  let changed = false
  const add = (line: Uint8Array) => {
    // A copy: the line's own bytes are those of the next one soon.
    waiting.push(Buffer.from(line), LINE_FEED)
    waitingBytes += line.length + 1
    size += line.length + 1
  }
  const flush = async () => {
    writeFully(to, Buffer.concat(waiting), size - waitingBytes)
    waiting = []
    waitingBytes = 0
  }
  for await (const line of lines(from)) {
    const opened = openLine(agentId, line, before)
    if (typeof opened === 'string')
      throw new TwotrackError(
        'damaged',
        `Event ${before.seq + 1} of ${agentId} is damaged: ${opened}. Nothing was changed.`,
        { details: { line: before.seq + 1, offset: line.offset } },
      )
    before = { seq: opened.header.seq, hash: opened.hash }
    const after = anew.next(line.bytes, opened)
    changed ||= after !== line.bytes
    add(after)
    if (waitingBytes > WRITE_BYTES) await flush()
  }
  const added = anew.end()
  for (const { line } of added) add(Buffer.from(line))
  await flush()
  return changed || added.length > 0 ? { size, head: anew.head() } : undefined
}
