import { setTimeout as sleep } from 'node:timers/promises'
import { encodeId } from '../../core/store/encode-id.ts'
import type { Connections } from './connections.ts'
import type { OpenSession } from './session.ts'

/** How long a log is marked as followed; as long as it is followed it is marked again and again. */
const WATCHED_MS = 60_000
const MARK_MS = 10_000
/** So long the connection that listens may take to answer, before another takes its place. */
const ANSWER_MS = 5_000
/** What was on its way when the mark came is told of by nobody: for the list of logs it is looked again. */
const AGAIN_MS = 1_000
const RECONNECT_MS = 500

const LIST = '0'
const MARK_LOG = `UPDATE log SET watched = clock_timestamp() + ${WATCHED_MS} * interval '1 ms' WHERE agent = $1 RETURNING id`
const MARK_LIST = `UPDATE lists SET watched = clock_timestamp() + ${WATCHED_MS} * interval '1 ms'`

/**
 * Tells of changes by the server's own notices, over one connection, open as long as something is followed. Only what
 * somebody follows is told of: each notice costs all who write. The row of a log says so, and moving it on reads it: what
 * is appended after the mark is told of, and what came before it is seen by the look that follows on it.
 */
export function watching(connections: Connections) {
  const watches = new Set<{ readonly agent: string | undefined; readonly changed: () => void; id?: string }>()
  let listening: Promise<OpenSession | undefined> | undefined
  let marking: NodeJS.Timeout | undefined
  let isClosed = false

  const told = (payload: string) => {
    for (const { id, changed } of [...watches]) if (id === payload) changed()
  }
  const listen = async (): Promise<OpenSession | undefined> => {
    while (watches.size > 0 && !isClosed)
      try {
        const session = await connections.open()
        session.listen(told, () => {
          listening = undefined
          if (watches.size > 0) void markAll()
        })
        await session.ask(`LISTEN "${connections.schema}"`)
        return session
      } catch {
        await sleep(RECONNECT_MS, undefined, { ref: false })
      }
    return undefined
  }
  type Watch = typeof watches extends Set<infer One> ? One : never
  /** Says that this is followed, and has it looked at. */
  const mark = async (watch: Watch): Promise<void> => {
    listening ??= listen()
    await listening
    const { agent } = watch
    const rows = await connections.ask(
      agent === undefined ? MARK_LIST : MARK_LOG,
      agent === undefined ? [] : [agent],
    )
    watch.id = agent === undefined ? LIST : String(rows[0]?.['id'])
    if (watches.has(watch)) watch.changed()
  }
  const markAll = async (): Promise<void> => {
    // One that the network lost hears nothing, and nothing of that: without an answer it is given up.
    const session = await listening
    await session?.ask('SELECT 1', undefined, ANSWER_MS).catch(() => {})
    // Where the database is away, the next time: who follows a log waits until it is there again.
    for (const watch of [...watches]) await mark(watch).catch(() => {})
  }

  return {
    watch(id: string | undefined, changed: () => void): () => void {
      const watch: Watch = { agent: id === undefined ? undefined : encodeId(id), changed }
      watches.add(watch)
      marking ??= setInterval(() => void markAll(), MARK_MS).unref()
      const again = () => watches.has(watch) && changed()
      void mark(watch).then(() => id === undefined && setTimeout(again, AGAIN_MS).unref(), again)
      return () => {
        watches.delete(watch)
        if (watches.size > 0) return
        clearInterval(marking)
        marking = undefined
        void stop()
      }
    },
    async close() {
      isClosed = true
      watches.clear()
      clearInterval(marking)
      await stop()
    },
  }

  async function stop(): Promise<void> {
    const session = await listening
    if (watches.size > 0) return
    listening = undefined
    await session?.end()
  }
}
