import { closeSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../../errors.ts'
import { lines } from './lines.ts'
import { reading } from './log-file.ts'

/** More than most first lines take. */
const BEGINNING_BYTES = 32 * 1024
const LINE_FEED = 0x0a

/**
 * The first line of a log, from the beginning of its file: listing looks at every log, and believes no index. Undefined
 * if the log has no event yet.
 */
export async function firstLine(path: string): Promise<Uint8Array | undefined> {
  const bytes = beginningOf(path)
  const end = bytes?.indexOf(LINE_FEED) ?? -1
  // A copy: ten thousand first lines are held at once, and what was read with each is much longer.
  if (bytes && end !== -1) return Buffer.from(bytes.subarray(0, end))
  return reading(path, async (file) => {
    for await (const line of lines(file)) return line.ended ? Buffer.from(line.bytes) : undefined
    return undefined
  })
}

function beginningOf(path: string): Uint8Array | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const buffer = Buffer.allocUnsafe(BEGINNING_BYTES)
    return buffer.subarray(0, readSync(file, buffer, 0, BEGINNING_BYTES, 0))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
