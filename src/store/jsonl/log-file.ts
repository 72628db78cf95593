import { readFileSync, statSync } from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import type { StoredLine } from '../../core/store/engine.ts'
import { codeOf } from '../../errors.ts'
import { diskError } from '../../files/disk.ts'
import { openArchive } from './archive.ts'
import { inMemory, type LogBytes, lines } from './lines.ts'
import { logEnd } from './log-end.ts'
import { seek } from './seek.ts'

const AT_ONCE_BYTES_MAX = 256 * 1024

/** Reads a log, compressed or not; undefined when there is none. */
export async function reading<T>(path: string, read: (file: LogBytes) => Promise<T>): Promise<T | undefined> {
  const file = await openLog(path)
  try {
    return file && (await read(file))
  } catch (cause) {
    throw diskError('read log', path, cause)
  } finally {
    await file?.close()
  }
}

// A log that is packed or unpacked at this moment may be gone from one place and not be found in the other.
const openLog = async (path: string): Promise<LogBytes | undefined> =>
  smallLog(path) ??
  (await openHandle(path, 'r')) ??
  (await openArchive(path)) ??
  (await openHandle(path, 'r'))

/** Most logs are small, and many are read one after the other: each at once, which takes a tenth of the time. */
function smallLog(path: string): LogBytes | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size > AT_ONCE_BYTES_MAX) return undefined
  try {
    return inMemory(readFileSync(path))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('read log', path, cause)
  }
}

/** The file of a log that is not compressed; undefined when there is none. */
export async function openHandle(path: string, flags: 'r' | 'r+'): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return undefined
    file = await openFile(path, flags)
    if (!(await file.stat()).isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' })
    return file
  } catch (cause) {
    await file?.close()
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('open log', path, cause)
  }
}

/** The lines of a range. It ends silently at what a broken write left, since it may be a write in progress. */
export async function* readLog(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<StoredLine> {
  const file = await openLog(path)
  if (!file) return
  try {
    const start = await seek(file, from)
    let { seq } = start
    for await (const { bytes, offset, ended } of lines(file, start.offset)) {
      if (seq > to) return
      // A line feed or zeros: what a broken write left, or a write in progress.
      if ((!ended || bytes.includes(0)) && offset >= (await logEnd(path, file)).size) return
      if (seq >= from) yield { bytes, at: { path, offset } }
      seq++
    }
  } catch (cause) {
    throw diskError('read log', path, cause)
  } finally {
    await file.close()
  }
}
