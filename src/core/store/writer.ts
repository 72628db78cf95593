import { TwotrackError } from '../../errors.ts'
import type { Sealed } from '../event/line.ts'
import { follow, lineOf, rewriting, START } from './chain.ts'
import type { Engine, Line } from './engine.ts'
import { readHead } from './read.ts'
import type { LogWriter } from './store.ts'

/** What one append of an engine is given, unless one append alone is more. */
const WRITE_BYTES_MAX = 16 * 1024 * 1024

interface Pending {
  readonly lines: readonly Line[]
  resolve(): void
  reject(reason: unknown): void
}

/** Opens a log for writing. What is queued while an append is under way goes out in the next one, and shares its sync. */
export async function openWriter(engine: Engine, id: string, onClosed: () => void): Promise<LogWriter> {
  const lease = await engine.lease?.(id)
  const first = await readHead(engine, id).catch(async (thrown: unknown) => {
    await lease?.release()
    throw thrown
  })
  /** The last event that was accepted, and the last that is stored. */
  let head = first ?? START
  let stored = head
  const queue: Pending[] = []
  let draining: Promise<void> | undefined
  let failure: unknown
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    // Appends made in the same tick share the first write too.
    await Promise.resolve()
    while (queue.length > 0 && failure === undefined) {
      const batch = takeBatch(queue)
      const lines = batch.flatMap((pending) => pending.lines)
      try {
        await engine.append(id, lines, stored, lease)
        const last = lines.at(-1)
        if (last) stored = { seq: last.header.seq, hash: last.hash }
        for (const pending of batch) pending.resolve()
      } catch (thrown) {
        failure = endingAt(stored.seq, thrown)
        for (const pending of batch) pending.reject(failure)
      }
    }
    // What waited behind a failed append must fail too, or it would leave a gap.
    for (const pending of queue.splice(0)) pending.reject(failure)
    draining = undefined
  }

  const assertUsable = () => {
    if (closing) throw new TwotrackError('closed', `The writer of log ${id} is closed; open it again.`)
    if (failure !== undefined) throw failure
  }

  const close = async (): Promise<void> => {
    await draining
    try {
      await lease?.release()
    } finally {
      onClosed()
    }
  }

  return {
    ...(lease?.recovered ? { recovered: lease.recovered } : {}),

    get head() {
      return head
    },

    async append(events: readonly Sealed[], expectedSeq) {
      assertUsable()
      head = follow(id, head, events, expectedSeq)
      if (events.length === 0) return
      const lines = events.map(lineOf)
      await new Promise<void>((resolve, reject) => {
        queue.push({ lines, resolve, reject })
        draining ??= drain()
      })
    },

    async rewrite(...steps) {
      assertUsable()
      await draining
      assertUsable()
      if (!engine.maintain)
        throw new TwotrackError('bad_argument', `Logs in a ${engine.kind} store can't be written anew.`)
      const anew = rewriting(id, steps)
      await engine.maintain.rewrite(id, anew, lease)
      head = anew.head()
      stored = head
    },

    close() {
      closing ??= close()
      return closing
    },
  }
}

function takeBatch(queue: Pending[]): Pending[] {
  let bytes = 0
  let count = 0
  for (const { lines } of queue) {
    for (const line of lines) bytes += line.bytes.length
    if (bytes > WRITE_BYTES_MAX && count > 0) break
    count++
  }
  return queue.splice(0, count)
}

/** A failed append says what is there: who frees some space goes on from that. */
const endingAt = (seq: number, thrown: unknown): unknown =>
  thrown instanceof TwotrackError && thrown.code === 'io'
    ? new TwotrackError('io', `${thrown.message} Events up to ${seq} are on disk.`, {
        cause: thrown.cause,
        details: { ...thrown.details, seq },
      })
    : thrown
