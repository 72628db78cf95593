import { setImmediate } from 'node:timers/promises'
import { bytesOfField } from '../../core/memory/blobs.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { SEARCHED } from './index-row.ts'

/** Where a raw text holds what was looked for. */
export interface TextHit {
  readonly agent_id: string
  readonly seq: number
  readonly turn: number
  readonly part: string
  /** Of the first byte in the whole part. */
  readonly at: number
  /** In bytes. */
  readonly length: number
  /** The line, or what is around it. */
  readonly line: string
}

/** How far a search has come. */
export interface Looked {
  readonly looked: number
  readonly of: number
}

const AROUND_BYTES = 120
const PROGRESS_MS = 250

/** Where the raw texts of these agents hold a text, whatever its case, as each is found, and how far it has come. */
export async function* searchText(
  store: Store,
  agents: readonly string[],
  text: string,
  { signal, inOneLog }: { readonly signal: AbortSignal; readonly inOneLog: number },
): AsyncGenerator<TextHit | Looked> {
  const pattern = patternOf(text)
  let told = Date.now()
  for (const [looked, agent_id] of agents.entries()) {
    let left = inOneLog
    for await (const found of foundIn(store, agent_id, pattern)) {
      if (found === undefined) await setImmediate()
      if (signal.aborted) return
      if (found !== undefined) yield { agent_id, ...found }
      if (found !== undefined && --left === 0) break
      if (Date.now() - told < PROGRESS_MS) continue
      told = Date.now()
      yield { looked, of: agents.length }
    }
  }
}

/** The bytes of a text in upper and lower case, over bytes that stand for a character each: no text has to be decoded. */
function patternOf(text: string): RegExp {
  const chars = [...text].map((char) =>
    [...new Set([char, char.toLowerCase(), char.toUpperCase()])]
      .map((one) =>
        Buffer.from(one)
          .toString('latin1')
          .replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'),
      )
      .join('|'),
  )
  return new RegExp(chars.map((char) => (char.includes('|') ? `(?:${char})` : char)).join(''), 'g')
}

type Found = Omit<TextHit, 'agent_id'>

/** Undefined after each stretch without one, so that whoever waits can stop. */
async function* foundIn(store: Store, agentId: string, pattern: RegExp): AsyncGenerator<Found | undefined> {
  try {
    for await (const event of store.read(agentId)) {
      const { seq, turn } = event
      for (const part of SEARCHED[event.type] ?? []) {
        const field = bytesOfField(store, event, part)
        if (!field) continue
        for await (const place of placesIn(field.bytes, pattern)) yield place && { seq, turn, part, ...place }
      }
    }
  } catch (thrown) {
    // A log that is gone or damaged does not keep the others from being searched.
    if (!(thrown instanceof TwotrackError) || thrown.code === 'closed') throw thrown
  }
}

async function* placesIn(
  chunks: AsyncIterable<Uint8Array>,
  pattern: RegExp,
): AsyncGenerator<Pick<Found, 'at' | 'length' | 'line'> | undefined> {
  // What came before stays as far as a place may begin in it, with what is around it.
  const margin = AROUND_BYTES + pattern.source.length
  let kept = Buffer.alloc(0)
  let before = 0
  let from = 0
  for await (const chunk of ended(chunks)) {
    const bytes = chunk ? Buffer.concat([kept, chunk]) : kept
    const text = bytes.toString('latin1')
    const to = chunk ? bytes.length - margin : bytes.length
    pattern.lastIndex = from
    for (let hit = pattern.exec(text); hit && hit.index < to; hit = pattern.exec(text)) {
      const { index, 0: found } = hit
      const { line, end } = around(bytes, index, found.length)
      yield { at: before + index, length: found.length, line }
      // What the line shows as well is no other place.
      from = end
      pattern.lastIndex = from
    }
    from = Math.max(from, to)
    const gone = Math.max(0, from - AROUND_BYTES)
    kept = bytes.subarray(gone)
    before += gone
    from -= gone
    yield undefined
  }
}

async function* ended<T>(all: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* all
  yield undefined
}

/** The line of a place, cut to what stands around it. */
function around(bytes: Buffer, index: number, length: number): { line: string; end: number } {
  const begin = Math.max(bytes.lastIndexOf('\n', index) + 1, index - AROUND_BYTES)
  const feed = bytes.indexOf('\n', index)
  const end = Math.min(feed < 0 ? bytes.length : feed, index + length + AROUND_BYTES)
  // A character may be cut at both ends.
  return { line: bytes.toString('utf8', begin, end).replace(/^\ufffd+|\ufffd+$/g, ''), end }
}
