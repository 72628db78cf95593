/** A file's bytes as text for the parser, and the way back from its offsets to bytes. */

const BINARY_PROBE_BYTES = 8192

export interface SourceText {
  text: string
  bytes: Uint8Array
  byteOffset(index: number): number
}

export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)

const utf8Offsets = (text: string): ((index: number) => number) => {
  const offsets = new Uint32Array(text.length + 1)
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    offsets[index] = bytes
    const unit = text.charCodeAt(index)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      // A pair takes four bytes; its second half never starts or ends a node.
      offsets[++index] = bytes
      bytes += 4
    } else bytes += 3
  }
  offsets[text.length] = bytes
  return (index) => offsets[index] ?? bytes
}

/** What is not UTF-8 is read as Latin-1, byte for byte: its names and structure are ASCII in practice. */
export const sourceText = (source: Uint8Array | string): SourceText => {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  const same = text.length === bytes.length
  return { text, bytes, byteOffset: same ? (index) => index : utf8Offsets(text) }
}
