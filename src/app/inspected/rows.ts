import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEvent } from '../../audit/history.ts'
import { bytesOfField } from '../../core/memory/blobs.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { NEWLINE, type OutputRow, outputRows, rowStarts } from './output-rows.ts'

/** The place of every so many rows is kept. */
const ROWS_A_MARK = 256
/** Outputs up to this size are kept in memory; larger ones in a file that has no name. */
const IN_MEMORY_BYTES_MAX = 4 * 1024 * 1024
const OUTPUTS_MAX = 6
const STRETCH_BYTES = 1024 * 1024

/** Some rows of a raw field. */
export interface Rows {
  /** Of the whole field. */
  readonly bytes: number
  readonly rows: number
  readonly media: 'text' | 'image' | 'bytes'
  readonly first: number
  readonly lines: readonly OutputRow[]
}

/** A whole text as a file holds it; of what is no text, nothing. */
export interface WholeOutput extends Pick<Rows, 'bytes' | 'media'> {
  readonly text: string
}

interface Content {
  readonly bytes: number
  read(from: number, to: number): Buffer
  close(): void
}

interface Place {
  readonly at: number
  readonly feeds: number
}

/** A raw field whose bytes can be read from any place, and where its rows are. */
interface Output {
  readonly content: Content
  readonly rows: number
  /** Of every so many rows: where the row begins, and how many line feeds stand before it. */
  readonly marks: readonly Place[]
  readonly media: Rows['media']
}

/** Raw fields of events, by rows. A hundred megabytes are read once and take a few in memory. */
export class Outputs {
  readonly #store: Store
  readonly #open = new Map<string, Promise<Output>>()

  constructor(store: Store) {
    this.#store = store
  }

  async rows(
    agentId: string,
    seq: number,
    part: string,
    place: { first: number; most: number },
  ): Promise<Rows> {
    const { content, rows, marks, media } = await this.#output(agentId, seq, part)
    const first = Math.max(0, Math.min(place.first, rows))
    const at = Math.floor(first / ROWS_A_MARK)
    const { at: from, feeds } = marks[at] ?? { at: content.bytes, feeds: 0 }
    const end = marks[Math.ceil((first + place.most) / ROWS_A_MARK)]?.at ?? content.bytes
    const isInLine = from > 0 && content.read(from - 1, from)[0] !== NEWLINE
    const all = outputRows(content.read(from, end), { at: from, line: feeds + 1, isInLine })
    const skipped = first - at * ROWS_A_MARK
    const lines = all.slice(skipped, skipped + place.most)
    return { bytes: content.bytes, rows, media, first, lines }
  }

  /** The row that a byte stands in. */
  async rowAt(agentId: string, seq: number, part: string, byte: number): Promise<number> {
    const { content, marks } = await this.#output(agentId, seq, part)
    const at = Math.max(
      0,
      marks.findLastIndex((mark) => mark.at <= byte),
    )
    const from = marks[at]?.at ?? 0
    const starts = rowStarts(content.read(from, marks[at + 1]?.at ?? content.bytes))
    return (
      at * ROWS_A_MARK +
      Math.max(
        0,
        starts.findLastIndex((start) => from + start <= byte),
      )
    )
  }

  async bytes(agentId: string, seq: number, part: string): Promise<Buffer> {
    const { content } = await this.#output(agentId, seq, part)
    return content.read(0, content.bytes)
  }

  /** All of it, one stretch after the other. */
  async *stream(agentId: string, seq: number, part: string): AsyncGenerator<Uint8Array> {
    const { content } = await this.#output(agentId, seq, part)
    for (let at = 0; at < content.bytes; at += STRETCH_BYTES) yield content.read(at, at + STRETCH_BYTES)
  }

  async media(agentId: string, seq: number, part: string): Promise<Rows['media']> {
    return (await this.#output(agentId, seq, part)).media
  }

  close(): void {
    for (const output of this.#open.values()) output.then(({ content }) => content.close()).catch(() => {})
    this.#open.clear()
  }

  #output(agentId: string, seq: number, part: string): Promise<Output> {
    const key = JSON.stringify([agentId, seq, part])
    const output = this.#open.get(key) ?? openOutput(this.#store, agentId, seq, part)
    this.#open.delete(key)
    this.#open.set(key, output)
    output.catch(() => this.#open.delete(key))
    const [oldest] = this.#open
    if (this.#open.size > OUTPUTS_MAX && oldest) {
      this.#open.delete(oldest[0])
      oldest[1].then(({ content }) => content.close()).catch(() => {})
    }
    return output
  }
}

async function openOutput(store: Store, agentId: string, seq: number, part: string): Promise<Output> {
  const event = await readEvent(store, agentId, seq)
  const field = event && bytesOfField(store, event, part)
  if (!field) throw new TwotrackError('missing', `Event ${seq} of "${agentId}" has no ${part}.`)
  const content = field.total > IN_MEMORY_BYTES_MAX ? intoFile() : intoMemory()
  const marks: Place[] = [{ at: 0, feeds: 0 }]
  let rows = 0
  let feeds = 0
  const add = (place: number) => {
    if (rows % ROWS_A_MARK === 0) marks[rows / ROWS_A_MARK] = { at: place, feeds }
    rows++
  }
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  for await (const chunk of field.bytes) {
    content.write(chunk)
    const bytes = Buffer.concat([rest, chunk])
    const starts = rowStarts(bytes)
    // The last row may go on in the next chunk.
    const last = starts.pop() ?? 0
    for (const [index, start] of starts.entries()) {
      add(at + start)
      if (bytes[(starts[index + 1] ?? last) - 1] === NEWLINE) feeds++
    }
    rest = Buffer.from(bytes.subarray(last))
    at += last
  }
  if (rest.length > 0) add(at)
  const done = content.end()
  return { content: done, rows, marks, media: mediaOf(done.read(0, 4_096)) }
}

const IMAGES: readonly (readonly [name: string, magic: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
]

/** What kind of image bytes are, by their beginning; what could hold a script is none. */
const imageTypeOf = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return IMAGES.find(([, magic]) => magic.test(head))?.[0]
}

function mediaOf(head: Buffer): Rows['media'] {
  if (imageTypeOf(head)) return 'image'
  return head.includes(0) ? 'bytes' : 'text'
}

interface Filling {
  write(chunk: Uint8Array): void
  end(): Content
}

function intoMemory(): Filling {
  const chunks: Uint8Array[] = []
  return {
    write: (chunk) => chunks.push(Buffer.from(chunk)),
    end() {
      const whole = Buffer.concat(chunks)
      return {
        bytes: whole.length,
        read: (from, to) => whole.subarray(Math.max(0, from), Math.max(0, to)),
        close() {},
      }
    },
  }
}

/** A private file whose name is removed at once: it goes with this process, however that ends. */
function intoFile(): Filling {
  const path = join(tmpdir(), `twotrack-${randomBytes(8).toString('hex')}`)
  const fd = openSync(path, 'wx+', 0o600)
  rmSync(path, { force: true })
  let bytes = 0
  return {
    write(chunk) {
      for (let done = 0; done < chunk.length; )
        done += writeSync(fd, chunk, done, chunk.length - done, bytes + done)
      bytes += chunk.length
    },
    end: () => ({
      bytes,
      read(from, to) {
        const part = Buffer.alloc(from < 0 ? 0 : Math.max(0, Math.min(to, bytes) - from))
        for (let done = 0; done < part.length; ) {
          const read = readSync(fd, part, done, part.length - done, from + done)
          if (read === 0) return part.subarray(0, done)
          done += read
        }
        return part
      },
      close: () => closeSync(fd),
    }),
  }
}
