/** Bytes of a page of one byte a character (`inPage`). */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  const byteOf = new Map([...new TextDecoder('windows-1252').decode(all)].map((char, byte) => [char, byte]))
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const isEscaped = text[at] === '='
    if (isEscaped) at++
    bytes[length++] = (byteOf.get(text[at] ?? '') ?? 0) - (isEscaped ? 0x40 : 0)
  }
  return bytes.slice(0, length)
}

/** The text that `packed` made these bytes of. */
export async function gunzippedText(gzipped: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([gzipped]).stream().pipeThrough(new DecompressionStream('gzip'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let at = 0
  const number = (): number => {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
    }
  }
  const steps = number()
  const [stay, copied, from] = [0, 1, 2].map(() => Array.from({ length: steps }, number))
  const total = [...(stay ?? []), ...(copied ?? [])].reduce((sum, one) => sum + one, 0)
  const left = bytes.subarray(at + (stay ?? []).reduce((sum, one) => sum + one, 0))
  const text = new Uint8Array(total + left.length)
  let to = 0
  let end = 0
  for (let step = 0; step < steps; step++) {
    const [kept = 0, length = 0, moved = 0] = [stay?.[step], copied?.[step], from?.[step]]
    text.set(bytes.subarray(at, at + kept), to)
    at += kept
    to += kept
    const start = end + (moved % 2 === 0 ? moved / 2 : -(moved + 1) / 2)
    // One by one: a copy may go on into what it makes.
    for (let i = 0; i < length; i++) text[to + i] = text[start + i] ?? 0
    to += length
    end = start + length
  }
  text.set(left, to)
  return new TextDecoder().decode(text)
}
