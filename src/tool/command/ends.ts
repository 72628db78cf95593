/** Keeps the two ends of a stream in bounded memory: errors stand at the tail as often as at the head. */
export class Ends {
  readonly #max: number
  readonly #head: Uint8Array[] = []
  #headBytes = 0
  #tail: Uint8Array[] = []
  #tailBytes = 0
  #bytes = 0

  /** `max` bytes are kept of each end. */
  constructor(max: number) {
    this.#max = max
  }

  get bytes(): number {
    return this.#bytes
  }

  get cut(): boolean {
    return this.#bytes > this.#headBytes + this.#tailBytes
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    const free = this.#max - this.#headBytes
    if (free > 0) this.#head.push(chunk.slice(0, free))
    this.#headBytes += Math.min(free, chunk.length)
    const rest = chunk.subarray(Math.max(0, free))
    if (rest.length === 0) return
    this.#tail.push(rest.slice(-this.#max))
    this.#tailBytes += Math.min(rest.length, this.#max)
    // Trimmed at twice the limit, so that many small chunks are not copied each time.
    if (this.#tailBytes > 2 * this.#max) this.#trim()
  }

  /** The whole, or both ends with a line between them that says what is missing. */
  text(): string {
    if (this.#tailBytes > this.#max && this.cut) this.#trim()
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)]
    if (!this.cut) return Buffer.concat([head, tail]).toString()
    const missing = this.#bytes - head.length - tail.length
    return `${wholeWords(wholeStart(head), -1)}\n… ${missing} bytes left out …\n${wholeWords(wholeEnd(tail), 1)}`
  }

  #trim(): void {
    this.#tail = [Buffer.concat(this.#tail).subarray(-this.#max)]
    this.#tailBytes = this.#max
  }
}

/** The longest word that a cut is moved for. */
const WORD_CHARS_MAX = 4096

/** Cut beside a word, not through it: half a secret is not known as one. `side` is -1 where the end was cut. */
function wholeWords(text: string, side: 1 | -1): string {
  const space =
    side === 1 ? text.search(/\s/) : text.length - 1 - Math.max(text.lastIndexOf('\n'), text.lastIndexOf(' '))
  if (space < 0 || space > WORD_CHARS_MAX || space >= text.length) return text
  return side === 1 ? text.slice(space) : text.slice(0, text.length - space)
}

/** Without a character that the cut went through: a decoder that waits for more leaves it out. */
const wholeStart = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })

const wholeEnd = (bytes: Buffer): string => {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start++
  return bytes.toString('utf8', start)
}
