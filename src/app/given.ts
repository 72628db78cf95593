import { isObject, type Json, tryParse } from '../core/event/json.ts'
import type { Harness } from '../hook/harness.ts'
import { withStore } from './context.ts'
import { handoverOf, lastSession } from './handover.ts'

/** Whose packet a harness is given, by why it asks: not where a session is resumed, for its model has all of it. */
const SOURCES: Readonly<Record<string, 'own' | 'before'>> = {
  startup: 'before',
  clear: 'before',
  compact: 'own',
  /** In place of all messages. */
  instead: 'own',
}

/**
 * What a harness is given when a session begins, lost what was before, or keeps no messages. Undefined where there is
 * nothing to give.
 */
export async function packetFor(harness: Harness, payload: string): Promise<string | undefined> {
  const start = tryParse(payload) as Json | undefined // what parses is JSON
  if (!isObject(start)) return undefined
  const { session_id: session, source } = start
  const whose = SOURCES[String(source)]
  if (typeof session !== 'string' || whose === undefined) return undefined
  return withStore({}, async (store) => {
    const own = `${harness.name}-${session}`
    const meant =
      whose === 'own'
        ? own
        : await lastSession(store, ({ agent_id }) => agent_id !== own).catch(() => undefined)
    if (meant === undefined || !(await store.head(meant))) return undefined
    return (await handoverOf(store, meant, harness.takes, source === 'instead')).text
  })
}
