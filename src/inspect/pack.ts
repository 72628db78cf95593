import { gzipSync } from 'node:zlib'

/** Shorter texts that stand there twice are left to gzip, which sees 32 KB back. */
const MATCH_BYTES_MIN = 32
/** Places of texts that were seen, by a hash: 16 MB, however long the text is. */
const PLACES_BITS = 22
const BASE = 0x01000193

/**
 * A text as few bytes: what stands anywhere before it is named by its place, and gzip does the rest. One line stands in
 * a hundred packets, in an output and in the chat, much further apart than gzip looks. `gunzippedText` of the page reads it:
 * numbers by seven bits (how many steps; bytes that stay of each; bytes to copy; from where, seen from the end of the
 * copy before), then the bytes that stay.
 */
export function packed(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const stay: number[] = []
  const copied: number[] = []
  const from: number[] = []
  const kept: Buffer[] = []
  let end = 0
  let done = 0
  for (const match of matches(bytes)) {
    stay.push(match.at - done)
    copied.push(match.length)
    from.push(signed(match.from - end))
    kept.push(bytes.subarray(done, match.at))
    end = match.from + match.length
    done = match.at + match.length
  }
  const numbers = Buffer.from([stay.length, ...stay, ...copied, ...from].flatMap(sevenBits))
  return gzipSync(Buffer.concat([numbers, ...kept, bytes.subarray(done)]), { level: 9 })
}

interface Match {
  readonly at: number
  readonly from: number
  readonly length: number
}

function* matches(bytes: Uint8Array): Generator<Match> {
  const places = new Int32Array(2 ** PLACES_BITS).fill(-1)
  let leaving = 1
  for (let i = 1; i < MATCH_BYTES_MIN; i++) leaving = Math.imul(leaving, BASE)
  let hash = 0
  let done = 0
  for (let next = 0; next < bytes.length; next++) {
    const at = next - MATCH_BYTES_MIN + 1
    if (at > 0) hash = (hash - Math.imul(bytes[at - 1] ?? 0, leaving)) | 0
    hash = (Math.imul(hash, BASE) + (bytes[next] ?? 0)) | 0
    if (at < 0) continue
    const place = Math.imul(hash, 0x9e3779b1) >>> (32 - PLACES_BITS)
    const from = places[place] ?? -1
    places[place] = at
    if (at < done || from < 0) continue
    const match = longest(bytes, { at, from, done })
    if (match.length < MATCH_BYTES_MIN) continue
    done = match.at + match.length
    yield match
  }
}

/** As far as both are the same, to both sides; what was copied before stays as it is. */
function longest(bytes: Uint8Array, { at, from, done }: { at: number; from: number; done: number }): Match {
  let length = 0
  while (at + length < bytes.length && bytes[from + length] === bytes[at + length]) length++
  let back = 0
  while (at - back > done && from > back && bytes[from - back - 1] === bytes[at - back - 1]) back++
  return { at: at - back, from: from - back, length: length + back }
}

const signed = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

function sevenBits(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left & 0x7f) | 0x80)
  return [...bytes, left]
}

/** These bytes mean something to a reader of HTML, or begin such a pair. */
const ESCAPED: ReadonlySet<number> = new Set([0x00, 0x0d, 0x3c, 0x3d])

/** Bytes that stand in a page of one byte a character: base64 would be a third more. */
export function inPage(bytes: Uint8Array): Buffer {
  const out: number[] = []
  for (const byte of bytes) ESCAPED.has(byte) ? out.push(0x3d, byte + 0x40) : out.push(byte)
  return Buffer.from(out)
}
