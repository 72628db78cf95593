import type { AgentIndex } from '../app/inspected/index.ts'
import type { LogEntry, Store } from '../core/store/store.ts'

/** Each event of a log from `from` on, as it is recorded: that it came, not what it holds. */
export async function* changesOfAgent(
  store: Store,
  agentId: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly seq: number }> {
  for await (const { seq } of store.tail(agentId, { from, signal })) yield { seq }
}

/** How often a list that changes is told of; a run of a hundred agents changes it all the time. */
const PAUSE_MS = 700
const PROGRESS_MS = 5_000
/** Agents that are still at work are looked at again, so many of the newest. */
const OPEN_MAX = 50

/** That the list changed: agents came, or those that are at work went on. */
export async function* changesOfList(
  store: Store,
  index: AgentIndex,
  signal: AbortSignal,
): AsyncGenerator<{ readonly changed: number }> {
  const came: LogEntry[] = []
  const following = (async () => {
    // The logs of many agents are listed once at a time.
    while (index.left !== 0 && !signal.aborted) await paused(signal)
    for await (const entry of store.tailList({ signal })) came.push(entry)
  })().catch(() => {}) // the list stays as it is
  const known = new Map<string, string>()
  let left = index.left
  let told = performance.now()
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const fresh = came.splice(0).filter(({ agent_id }) => !index.knows(agent_id))
    for (const { agent_id } of fresh) known.set(agent_id, '')
    if (!isFirst && fresh.length > 0) await index.touched(fresh)
    const { agents } = await index.page({ standing: 'open', most: OPEN_MAX })
    const moved = agents.filter(({ agent_id, events }) => known.get(agent_id) !== String(events))
    for (const { agent_id, events } of moved) known.set(agent_id, String(events))
    // Whoever is told asks for the list again, and keeps what is left from being looked at.
    const isFurther = left !== index.left && (index.left === 0 || performance.now() - told > PROGRESS_MS)
    if (!isFirst && (fresh.length > 0 || moved.length > 0 || isFurther)) {
      yield { changed: fresh.length + moved.length }
      left = index.left
      told = performance.now()
    }
    await paused(signal)
  }
  await following
}

const paused = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, PAUSE_MS)
    signal.addEventListener('abort', done)
  })
