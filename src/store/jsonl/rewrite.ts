import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { GENESIS } from '../../event/event.ts'
import type { Opened } from '../../event/line.ts'
import { namesIn, PRIVATE_FILE, syncFolder, writeFully } from '../../files/disk.ts'
import { REWRITING_ENDING, TORN_MARK } from './layout.ts'
import { lines } from './lines.ts'
import { openLine } from './scan.ts'

const WRITE_BYTES = 1024 * 1024
const LINE_FEED = Buffer.from('\n')

interface Rewritten {
  /** Open for writing, in the place of the old one. */
  readonly file: FileHandle
  readonly size: number
  readonly changed: number
}

/**
 * Writes a log anew beside itself and puts it in its place: who reads sees all of the old or all of the new. Undefined
 * when no line changes. The torn ends that recovery set aside go too, since they are raw bytes of the same log.
 */
export async function rewriteLog(
  agentId: string,
  path: string,
  from: FileHandle,
  change: (line: Uint8Array, opened: Opened) => Uint8Array,
  end: () => readonly Uint8Array[] = () => [],
): Promise<Rewritten | undefined> {
  const temporary = path + REWRITING_ENDING
  const file = await open(temporary, 'w+', PRIVATE_FILE)
  try {
    const { size, changed } = await writeChanged(agentId, from, file, change, end)
    await removeTorn(path)
    if (changed > 0) {
      await file.sync()
      await rename(temporary, path)
      await syncFolder(dirname(path))
      return { file, size, changed }
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
  change: (line: Uint8Array, opened: Opened) => Uint8Array,
  end: () => readonly Uint8Array[],
): Promise<{ size: number; changed: number }> {
  let head = { seq: 0, hash: GENESIS }
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let size = 0
  let changed = 0
  const add = (line: Uint8Array) => {
    // A copy: the line's own bytes are those of the next one soon.
    waiting.push(Buffer.from(line), LINE_FEED)
    waitingBytes += line.length + 1
    size += line.length + 1
  }
  const flush = async () => {
    await writeFully(to, Buffer.concat(waiting), size - waitingBytes)
    waiting = []
    waitingBytes = 0
  }
  for await (const line of lines(from)) {
    const opened = openLine(agentId, line, head)
    if (typeof opened === 'string')
      throw new TwotrackError(
        'damaged',
        `Event ${head.seq + 1} of ${agentId} is damaged: ${opened}. Nothing was changed.`,
        { details: { line: head.seq + 1, offset: line.offset } },
      )
    head = { seq: opened.header.seq, hash: opened.hash }
    const after = change(line.bytes, opened)
    if (after !== line.bytes) changed++
    add(after)
    if (waitingBytes > WRITE_BYTES) await flush()
  }
  for (const line of end()) {
    changed++
    add(line)
  }
  await flush()
  return { size, changed }
}

async function removeTorn(path: string): Promise<void> {
  const start = basename(path).replace(/\.jsonl$/, TORN_MARK)
  for (const name of await namesIn(dirname(path)))
    if (name.startsWith(start)) await rm(join(dirname(path), name), { force: true })
}
