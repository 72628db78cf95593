import { openHeader } from '../../core/event/line.ts'
import { sha256 } from '../../sha256.ts'
import { type LogBytes, lines } from './lines.ts'

/** Below this distance it is cheaper to read on than to look further. */
const SEEK_BYTES = 256 * 1024

/** Where a line begins. */
export interface LineStart {
  readonly seq: number
  readonly offset: number
}

const FIRST: LineStart = { seq: 1, offset: 0 }

/**
 * A line at or before the one that is wanted, found by halving: lines carry their seq. At the first sign that the log is
 * not in order it gives up and returns the start, where reading finds the damage and its place.
 */
export async function seek(file: LogBytes, seq: number): Promise<LineStart> {
  if (seq <= 1) return FIRST
  let low = FIRST
  let high = (await file.stat()).size
  while (high - low.offset > SEEK_BYTES) {
    const middle = low.offset + Math.floor((high - low.offset) / 2)
    const probe = await lineAfter(file, middle)
    if (probe === 'damaged') return FIRST
    if (probe === undefined || probe.offset >= high || probe.seq > seq) high = middle
    else low = probe
  }
  return low
}

/** The first line that begins after `offset`. */
async function lineAfter(file: LogBytes, offset: number): Promise<LineStart | 'damaged' | undefined> {
  let skipped = false
  for await (const line of lines(file, offset - 1)) {
    if (skipped) return line.ended ? markOf(line.bytes, line.offset) : undefined
    skipped = true
  }
  return undefined
}

function markOf(bytes: Uint8Array, offset: number): LineStart | 'damaged' {
  try {
    return { seq: openHeader(bytes, sha256).header.seq, offset }
  } catch {
    return 'damaged'
  }
}
