import { isUtf8 } from 'node:buffer'

/**
 * Changes the text that stands in bytes, whatever they are: what stays of it is as it was. A mark at the beginning may
 * lie, so that bytes that look like UTF-16 are read both ways. Where nothing changes the bytes themselves are given.
 */
export function changeBytes(bytes: Uint8Array, change: (text: string) => string): Uint8Array {
  const wide = isUtf16(bytes) ? Buffer.from(bytes).toString('utf16le') : ''
  const changedWide = change(wide)
  const left = changedWide === wide ? bytes : Buffer.from(changedWide, 'utf16le')
  const text = textOfBytes(left)
  const changed = change(text)
  return changed === text ? left : bytesOfText(changed)
}

/**
 * The text that everybody reads in these bytes, so that a secret is found, and has the placeholder, that it has in a
 * text. A byte that is no UTF-8 becomes half of a surrogate pair, which no UTF-8 gives; `bytesOfText` makes it what it was.
 */
export function textOfBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString()
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\xff]+/g, (run) => {
      const own = Buffer.from(run, 'latin1')
      return isUtf8(own)
        ? own.toString()
        : run.replace(/./gs, (one) => String.fromCharCode(HALF + one.charCodeAt(0)))
    })
}

const HALF = 0xdc00

export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  const parts = text.split(/([\udc80-\udcff]+)/u)
  return Buffer.concat(
    parts.map((part, at) =>
      at % 2 === 0
        ? Buffer.from(part)
        : Buffer.from(Uint8Array.from(part, (one) => one.charCodeAt(0) - HALF)),
    ),
  )
}

/** Its byte order mark says so, or most of its first characters are of one byte. */
function isUtf16(bytes: Uint8Array): boolean {
  if (bytes.length % 2 !== 0 || bytes.length < 16) return false
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return true
  const head = bytes.subarray(0, 512)
  return head.filter((byte, at) => at % 2 === 1 && byte === 0).length > head.length * 0.4
}
