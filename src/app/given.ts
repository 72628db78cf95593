import { isObject, type Json, tryParse } from '../core/event/json.ts'
import type { Harness } from '../hook/harness.ts'
import { withStore } from './context.ts'
import { handoverOf, lastSession } from './handover.ts'

/**
 * What a harness is given when a session begins, or lost what was before: of a session that was compacted its own packet,
 * else that of the session before. Nothing where one is resumed: its model has all of it. Undefined where there is nothing
 * to give.
 */
export async function packetFor(harness: Harness, payload: string): Promise<string | undefined> {
  const start = tryParse(payload) as Json | undefined // what parses is JSON
  if (!isObject(start)) return undefined
  const { session_id: session, source } = start
  if (typeof session !== 'string' || !['startup', 'clear', 'compact'].includes(String(source)))
    return undefined
  return withStore({}, async (store) => {
    const own = `${harness.name}-${session}`
    const meant =
      source === 'compact'
        ? own
        : await lastSession(store, ({ agent_id }) => agent_id !== own).catch(() => undefined)
    if (meant === undefined || !(await store.head(meant))) return undefined
    return (await handoverOf(store, meant, harness.takes)).text
  })
}
