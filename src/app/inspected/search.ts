import { setImmediate } from 'node:timers/promises'
import { fieldOf } from '../../core/memory/blobs.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { SEARCHED } from './index.ts'

/** Where a raw text holds what was looked for. */
export interface TextHit {
  readonly agent_id: string
  readonly seq: number
  readonly turn: number
  readonly part: string
  /** Of the first character, in bytes of the whole part. */
  readonly at: number
  /** The line, or what is around it. */
  readonly line: string
}

const AROUND_CHARS = 120
const HITS_A_LOG = 3

/** Where the raw texts of these agents hold a text, whatever its case, as each is found. */
export async function* searchText(
  store: Store,
  agents: readonly string[],
  text: string,
  hitsMax = HITS_A_LOG,
): AsyncGenerator<TextHit> {
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  for (const agentId of agents) {
    yield* hitsIn(store, agentId, pattern, hitsMax)
    await setImmediate()
  }
}

async function* hitsIn(
  store: Store,
  agent_id: string,
  pattern: RegExp,
  most: number,
): AsyncGenerator<TextHit> {
  let left = most
  try {
    for await (const event of store.read(agent_id))
      for (const part of SEARCHED[event.type] ?? []) {
        const value = await fieldOf(store, event, part)
        if (value === undefined || value instanceof Uint8Array) continue
        const whole = typeof value === 'string' ? value : JSON.stringify(value)
        for (const { index, 0: found } of whole.matchAll(pattern)) {
          const { seq, turn } = event
          const at = Buffer.byteLength(whole.slice(0, index))
          yield { agent_id, seq, turn, part, at, line: around(whole, index, found.length) }
          if (--left === 0) return
        }
      }
  } catch (thrown) {
    // A log that is gone or damaged does not keep the others from being searched.
    if (!(thrown instanceof TwotrackError) || thrown.code === 'closed') throw thrown
  }
}

/** The line of a hit, cut to what stands around it. */
function around(whole: string, index: number, length: number): string {
  const begin = Math.max(whole.lastIndexOf('\n', index) + 1, index - AROUND_CHARS)
  const feed = whole.indexOf('\n', index)
  const end = Math.min(feed < 0 ? whole.length : feed, index + length + AROUND_CHARS)
  return whole.slice(begin, end)
}
