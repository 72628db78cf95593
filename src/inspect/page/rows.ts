import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type OutputRow, outputRows } from '../../app/inspected/output-rows.ts'
import type { Rows, WholeOutput } from '../../app/inspected/rows.ts'
import { get, isExported } from './api.ts'

/** Rows that come at once. */
export const BLOCK = 512
/** Blocks that are kept: what was scrolled past comes back from the server. */
const BLOCKS_MAX = 12

export interface RowsView {
  readonly total: number
  readonly bytes: number
  readonly media: Rows['media'] | undefined
  readonly error: string | undefined
  row(at: number): OutputRow | undefined
  /** Asks for what is in sight. */
  want(from: number, to: number): void
  /** The row that a byte stands in. */
  rowOf(byte: number): Promise<number>
}

/** Rows of a raw field, as they come into sight. */
export function useRows(base: string, seq: number, part: string): RowsView {
  const head = useSignal<Pick<Rows, 'rows' | 'bytes' | 'media'> | undefined>(undefined)
  const blocks = useSignal<ReadonlyMap<number, readonly OutputRow[]>>(new Map())
  const error = useSignal<string | undefined>(undefined)
  const path = `${base}/rows/${seq}?part=${part}`
  const load = async (block: number) => {
    if (blocks.peek().has(block)) return
    const kept = new Map([...blocks.peek()].slice(-BLOCKS_MAX))
    blocks.value = kept.set(block, [])
    try {
      const answer = isExported.value
        ? whole(await get<WholeOutput>(path))
        : await get<Rows>(`${path}&first=${block * BLOCK}&most=${BLOCK}`)
      head.value = answer
      const next = new Map(blocks.peek())
      for (let at = 0; at < Math.max(1, answer.lines.length); at += BLOCK)
        next.set(Math.floor((answer.first + at) / BLOCK), answer.lines.slice(at, at + BLOCK))
      blocks.value = next
    } catch (thrown) {
      error.value = thrown instanceof Error ? thrown.message : String(thrown)
    }
  }
  useEffect(() => {
    load(0)
  }, [])
  return {
    total: head.value?.rows ?? 0,
    bytes: head.value?.bytes ?? 0,
    media: head.value?.media,
    error: error.value,
    row: (at) => blocks.value.get(Math.floor(at / BLOCK))?.[at % BLOCK],
    want(from, to) {
      for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) load(block)
    },
    async rowOf(byte) {
      if (!isExported.value) return (await get<Rows & { row: number }>(`${path}&at=${byte}&most=1`)).row
      const { lines } = whole(await get<WholeOutput>(path))
      return Math.max(
        0,
        lines.findLastIndex(({ at }) => at <= byte),
      )
    },
  }
}

const encoder = new TextEncoder()

/** All rows of an output that a file holds. */
function whole({ bytes, media, text }: WholeOutput): Rows {
  const lines = outputRows(encoder.encode(text), { at: 0, line: 1, isInLine: false })
  return { bytes, media, rows: lines.length, first: 0, lines }
}
