import type { Delta } from '../../../src/core/event/delta.ts'
import { type Draft, type Event, GENESIS } from '../../../src/core/event/event.ts'
import { seal } from '../../../src/core/event/line.ts'
import { runStartOf } from '../../../src/core/memory/options.ts'
import { fold } from '../../../src/core/packet/fold.ts'
import type { State } from '../../../src/core/packet/state.ts'
import type { MemoryOptions } from '../../../src/memory.ts'
import { sha256 } from '../../../src/sha256.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { sampleNonces } from '../../../src/testing/sample-log.ts'

/** Sealed events of a log that begins with run_start. */
export function eventsOf(drafts: readonly Draft[], options: Partial<MemoryOptions> = {}): Event[] {
  const data = runStartOf({ store: memoryStore(), agentId: 'a', goal: 'the goal', ...options })
  const events: Event[] = []
  let turn = 0
  const all: Draft[] = [{ type: 'run_start', data }, ...drafts]
  for (const draft of all) {
    turn = draft.turn ?? turn
    const seq = events.length + 1
    const identity = { id: `e${seq}`, run_id: 'r', agent_id: 'a', operation: 'lint', node_id: 'n', seq, turn }
    const timestamp = new Date(Date.UTC(2026, 0, 1) + seq).toISOString()
    events.push(
      seal(
        draft,
        { ...identity, timestamp, prev: events.at(-1)?.hash ?? GENESIS, nonces: sampleNonces(`${seq}`) },
        sha256,
      ).event,
    )
  }
  return events
}

export const correction = (delta: Delta): Draft => ({
  type: 'candidates',
  data: { by: 'test', note: 'a change' },
  delta,
})

export function stateAfter(deltas: readonly Delta[], options: Partial<MemoryOptions> = {}): State {
  const [first, ...rest] = eventsOf(deltas.map(correction), options)
  if (!first) throw new Error('no events')
  return rest.reduce<State>((state, event) => fold(state, event), fold(undefined, first))
}
