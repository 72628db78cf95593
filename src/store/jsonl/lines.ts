import { LINE_BYTES_MAX } from '../../limits.ts'

const LINE_FEED = 0x0a
const READ_BYTES = 128 * 1024
const SINCE = ',"since":'
/** With what stands behind it in the file. */
const STORED_BYTES_MAX = LINE_BYTES_MAX + 32

/** What holds the bytes of a log: its file, or memory where that is compressed. */
export interface LogBytes {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  stat(): Promise<{ size: number }>
  close(): Promise<void>
}

export interface FileLine {
  /** Without the line feed; valid until the next line is asked for. */
  readonly bytes: Uint8Array
  readonly offset: number
  /** False for what comes after the last line feed, and for the beginning of a line over the limit. */
  readonly ended: boolean
  /** The first event that was perhaps not on disk yet when this one was written, where that is not itself. */
  readonly since?: number
}

/**
 * A line as it is stored. One that is written together with others before it says since which event: `…,"since":12}` in
 * place of `…}`. After a power failure that tells which events were acknowledged: those before it.
 */
export const marked = (line: Uint8Array, since: number): Uint8Array =>
  Buffer.concat([line.subarray(0, -1), Buffer.from(`${SINCE}${since}}`)])

/** The line without that, in the same memory. A line ends with `}}` or `null}` otherwise. */
function unmarked(stored: Buffer): { readonly bytes: Uint8Array; readonly since?: number } {
  const end = stored.length - 1
  let at = end
  while (at > 0 && isDigit(stored[at - 1])) at--
  const from = at - SINCE.length
  if (at === end || from < 1 || stored.toString('latin1', from, at) !== SINCE) return { bytes: stored }
  const since = Number(stored.toString('latin1', at, end))
  stored[from] = stored[end] ?? 0
  return { bytes: stored.subarray(0, from + 1), since }
}

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39

/** Bytes in memory, as a log is read. */
export const inMemory = (bytes: Buffer): LogBytes => ({
  async read(buffer, offset, length, position) {
    return { bytesRead: bytes.copy(buffer, offset, position, position + length) }
  },
  async stat() {
    return { size: bytes.length }
  },
  async close() {},
})

/** The lines of a file from an offset on, holding one chunk and one line in memory. */
export async function* lines(file: LogBytes, from = 0): AsyncGenerator<FileLine> {
  let parts: Buffer[] = []
  let partsBytes = 0
  let offset = from
  for await (const chunk of chunks(file, from)) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const part = chunk.subarray(start, end)
      const bytes = parts.length === 0 ? part : Buffer.concat([...parts, part])
      parts = []
      partsBytes = 0
      start = end + 1
      const next = offset + bytes.length + 1
      yield { ...unmarked(bytes), offset, ended: true }
      offset = next
    }
    if (start < chunk.length) {
      parts.push(Buffer.from(chunk.subarray(start)))
      partsBytes += chunk.length - start
      if (partsBytes > STORED_BYTES_MAX) break
    }
  }
  if (partsBytes > 0) yield { bytes: Buffer.concat(parts), offset, ended: false }
}

/** The bytes of a file; the system reads the next ones while these are looked at. */
async function* chunks(file: LogBytes, from: number): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.min(READ_BYTES, (await file.stat()).size - from))
  let [buffer, other] = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)]
  let { bytesRead } = await file.read(buffer, 0, size, from)
  for (let position = from; bytesRead > 0; ) {
    position += bytesRead
    const next = file.read(other, 0, size, position)
    next.catch(() => {}) // thrown below, unless nobody asks for more
    yield buffer.subarray(0, bytesRead)
    ;({ bytesRead } = await next)
    ;[buffer, other] = [other, buffer]
  }
}

interface FileEnd {
  /** The last line that has its line feed. */
  readonly last: FileLine | undefined
  /** What comes after it. */
  readonly rest: Uint8Array
  readonly restOffset: number
}

/** The end of a file, read from its end: the cost does not grow with the file. */
export async function readEnd(file: LogBytes, size: number): Promise<FileEnd> {
  // More than two lines can take: a line without a beginning in there is over the limit, and enough of it to see that.
  const farthest = Math.max(0, size - 2 * (STORED_BYTES_MAX + 2))
  for (
    let from = Math.max(farthest, size - READ_BYTES);
    ;
    from = Math.max(farthest, size - 8 * (size - from))
  ) {
    const bytes = await readSpan(file, from, size)
    const lastFeed = bytes.lastIndexOf(LINE_FEED)
    const begin = lastFeed <= 0 ? -1 : bytes.lastIndexOf(LINE_FEED, lastFeed - 1)
    if (from > farthest && (lastFeed === -1 || begin === -1)) continue
    const rest = bytes.subarray(lastFeed + 1)
    const offset = from + begin + 1
    const last = {
      ...unmarked(bytes.subarray(begin + 1, Math.max(lastFeed, begin + 1))),
      offset,
      ended: true,
    }
    return { last: lastFeed === -1 ? undefined : last, rest, restOffset: from + lastFeed + 1 }
  }
}

/** The bytes of a file from one offset to another. */
export async function readSpan(file: LogBytes, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(to - from)
  let done = 0
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, from + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return buffer.subarray(0, done)
}
