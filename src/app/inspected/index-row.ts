import type { EventType } from '../../core/event/event.ts'
import { fieldOf } from '../../core/memory/blobs.ts'
import type { LogEntry, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { type AgentSummary, readAgentSummary } from '../../run/agent-summary.ts'
import { TurnFold } from '../turns.ts'
import { type Spark, sparkOf } from './spark.ts'

/** An agent in the list: what became of it, and its turns as a small picture. */
export interface IndexedAgent extends AgentSummary {
  readonly goal: string
  readonly spark: Spark
}

/** Raw text that is searched. */
export const SEARCHED: Partial<Record<EventType, readonly string[]>> = {
  tool_result: ['raw_output'],
  model_response: ['text'],
  tool_call: ['args'],
}

const GOAL_CHARS_MAX = 240
/** Text of one agent that is searched by words; of what comes after it nobody knows by this index alone. */
const TEXT_CHARS_MAX = 2 * 1024 * 1024

/** What a row of the list is made of. The head is asked for first: what comes while the log is read makes the row stale, never too new. */
export async function indexedRow(store: Store, entry: LogEntry) {
  const head = (await headHash(store, entry.agent_id)) ?? ''
  let goal = ''
  const fold = new TurnFold()
  const agent = await readAgentSummary(store, entry, (event) => {
    if (event.type === 'run_start') goal = event.data.goal
    // A session of another harness begins with a person's first words.
    if (event.type === 'person_message') goal ||= event.data.text
    fold.add(event)
  })
  const shown: IndexedAgent = { ...agent, goal: goal.slice(0, GOAL_CHARS_MAX), spark: sparkOf(fold.turns) }
  return { agent: shown, head, ...(await textOf(store, entry.agent_id)) }
}

/** Damage has a head of its own. */
export async function headHash(store: Store, agentId: string): Promise<string | undefined> {
  try {
    return (await store.head(agentId))?.hash
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return `damaged ${thrown.message}`
    throw thrown
  }
}

async function textOf(store: Store, agentId: string): Promise<{ text: string; whole: boolean }> {
  const texts: string[] = []
  let left = TEXT_CHARS_MAX
  const end = (whole: boolean) => ({ text: texts.join('\n'), whole })
  try {
    for await (const event of store.read(agentId))
      for (const field of SEARCHED[event.type] ?? []) {
        const blob = event.raw?.blobs?.[field]
        if (blob && blob.bytes > left) return end(false)
        const value = await fieldOf(store, event, field)
        if (value === undefined || value instanceof Uint8Array) continue
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        left -= text.length
        if (left < 0) return end(false)
        texts.push(text)
      }
  } catch (thrown) {
    // What is damaged is told by its standing.
    if (!(thrown instanceof TwotrackError) || thrown.code === 'closed') throw thrown
    return end(false)
  }
  return end(true)
}
