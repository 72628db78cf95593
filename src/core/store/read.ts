import { TwotrackError } from '../../errors.ts'
import type { Opened } from '../event/line.ts'
import { damagedLine, openLine, START } from './chain.ts'
import type { Engine, StoredLine } from './engine.ts'
import type { Head, ReadOptions } from './store.ts'

/**
 * The lines of a range, each checked by itself and against the one before. Damage is never skipped: what is not the next
 * event of the log throws `damaged` with its place.
 */
export async function* readLines(
  engine: Engine,
  id: string,
  { from = 1, to = Number.POSITIVE_INFINITY, raw = true }: ReadOptions,
): AsyncGenerator<Opened> {
  const first = Math.max(from, 1)
  let previous: Partial<Head> = first === 1 ? START : { seq: first - 1 }
  let next = first
  for (let suspect = -1; ; ) {
    let problem: { readonly at: StoredLine['at']; readonly reason: string } | undefined
    for await (const { bytes, at } of engine.read(id, { from: next, to })) {
      const opened = openLine(id, bytes, previous, raw)
      if (typeof opened === 'string') {
        problem = { at, reason: opened }
        break
      }
      previous = { seq: next, hash: opened.hash }
      next++
      yield opened
    }
    if (!problem) break
    // A torn end may be cut and overwritten while it is read: only what is damaged twice is damage.
    if (suspect === next) throw damagedLine(id, next, problem.at, problem.reason)
    suspect = next
  }
  if (next === first && !(await engine.head(id))) throw missingLog(engine, id)
}

/** The head of a log from its last line alone. Where that is damaged the whole log is read to say where damage begins. */
export async function readHead(engine: Engine, id: string): Promise<Head | undefined> {
  const last = await engine.head(id)
  if (!last) return undefined
  const opened = openLine(id, last.bytes, {}, false)
  if (typeof opened !== 'string') return { seq: opened.header.seq, hash: opened.hash }
  let head: Head | undefined
  for await (const { header, hash } of readLines(engine, id, { raw: false })) head = { seq: header.seq, hash }
  // Whole after all: another process was writing or recovering while this one read the end.
  return head
}

export const missingLog = ({ kind }: Engine, id: string): TwotrackError =>
  new TwotrackError('missing', `There is no log of ${id} in this ${kind} store.`, {
    details: { agent_id: id },
  })
