import { randomUUID } from 'node:crypto'
import type { Draft, Event, EventFor } from '../core/event/event.ts'
import { seal } from '../core/event/line.ts'
import { spill } from '../core/memory/blobs.ts'
import { hideDraft } from '../core/memory/hide.ts'
import { newNonces } from '../core/memory/nonces.ts'
import { untilFree } from '../core/memory/open.ts'
import { RUNS, runLogOf } from '../core/store/log-entry.ts'
import type { Store } from '../core/store/store.ts'
import { RUN_LOG_WAIT_MS } from '../limits.ts'
import type { MemoryOptions } from '../memory.ts'
import { hideFor } from '../secrets/hide.ts'
import { sha256 } from '../sha256.ts'

/** What stands in the log of a run: its plan, and what people say to its agents from any machine. */
type RunType = 'run_plan' | 'run_done' | 'said' | 'asked' | 'approval'
type RunDraft = Extract<Draft, { type: RunType }>

/** Appends to the log of a run, which is held for this alone; who has it now is waited for. Gives the seq. */
export async function recordInRun(
  store: Store,
  runId: string,
  given: RunDraft,
  { secrets }: Pick<MemoryOptions, 'secrets'> = {},
): Promise<number> {
  const draft = await spill(store, hideDraft(await hideFor(secrets, runId), given))
  return untilFree(RUN_LOG_WAIT_MS, () => append(store, runId, draft), ['locked', 'conflict'])
}

async function append(store: Store, runId: string, draft: Draft): Promise<number> {
  const agent_id = runLogOf(runId)
  const writer = await store.open(agent_id)
  try {
    const { seq, hash: prev } = writer.head
    const identity = {
      ...{ id: randomUUID(), run_id: runId, agent_id, operation: RUNS, node_id: '-' },
      ...{ seq: seq + 1, turn: 0, timestamp: new Date().toISOString(), prev, nonces: newNonces() },
    }
    await writer.append([seal(draft, identity, sha256)], seq)
    return seq + 1
  } finally {
    await writer.close()
  }
}

/** What stands in the log of a run from an event on; nothing where there is no such log. */
export async function* readRun(store: Store, runId: string, from = 1): AsyncGenerator<Event> {
  const head = await store.head(runLogOf(runId))
  if (head && head.seq >= from) yield* store.read(runLogOf(runId), { from })
}

/** Words for an agent after the one that it took in last, in the order in which they were said. */
export async function* wordsFor(
  store: Store,
  { runId, agentId, heard }: { readonly runId: string; readonly agentId: string; readonly heard: number },
): AsyncGenerator<EventFor<'said'>> {
  for await (const event of readRun(store, runId, heard + 1))
    if (event.type === 'said' && event.data.agent_id === agentId) yield event
}
