import { deepStrictEqual, fail, partialDeepStrictEqual } from 'node:assert/strict'
import { type Draft, type Event, GENESIS } from '../core/event/event.ts'
import { seal } from '../core/event/line.ts'
import { runStartOf } from '../core/memory/options.ts'
import { fold } from '../core/packet/fold.ts'
import type { Packet } from '../core/packet/packet.ts'
import { estimate } from '../core/tokens/estimate.ts'
import { packetOf, promptOf } from '../core/view/prompt.ts'
import { readerOf } from '../core/view/reader.ts'
import { TwotrackError } from '../errors.ts'
import type { MemoryOptions } from '../memory.ts'
import { sha256 } from '../sha256.ts'
import { memoryStore } from '../store/memory.ts'
import { sampleNonces } from './sample-log.ts'

/** What a scenario's run begins with; everything has a default. */
type GivenRun = Partial<Omit<MemoryOptions, 'store' | 'tokenizer'>>

/**
 * `given(events).when(event).then(packet)`: a log begins, the events happen, one more does, and the packet holds
 * what is expected. Pure and synchronous; ids and times are the same in every run.
 *
 *     given([lintRan]).when(fixApplied).then({ last_error: null, error_count: 1 })
 */
export function given(
  drafts: readonly Draft[],
  run: Partial<Omit<MemoryOptions, 'store' | 'tokenizer'>> = {},
): {
  /** The event under test. */
  when(draft: Draft): {
    readonly packet: Packet
    /** Exactly the text a model would be given. */
    readonly prompt: string
    /** Checks the fields that are named, all the way down; lists are compared as wholes. */
    then(expected: Partial<Packet>): void
    /** The event leaves the packet as it was. */
    thenNothing(): void
  }
} {
  const begin = runStartOf({ store: memoryStore(), agentId: 'agent', goal: 'the goal', ...run })
  const reader = readerOf(estimate)
  const first = eventOf({ type: 'run_start', data: begin }, run, undefined)
  let [state, last] = [fold(undefined, first), first]
  const add = (draft: Draft) => {
    last = eventOf(draft, run, last)
    state = fold(state, last)
  }
  for (const draft of drafts) add(draft)
  return {
    when(draft) {
      const before = packetOf(state, reader)
      add(draft)
      const packet = packetOf(state, reader)
      return {
        packet,
        prompt: promptOf(state, reader).text,
        // biome-ignore lint/suspicious/noThenProperty: the scenario is never awaited, and its sentence ends in then
        then: (expected) => partialDeepStrictEqual(packet, expected),
        thenNothing: () => deepStrictEqual(packet, before),
      }
    },
  }
}

/** The event is refused with this code; gives the error for a closer look. */
export function refused(code: TwotrackError['code'], body: () => unknown): TwotrackError {
  try {
    body()
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === code) return thrown
    throw thrown
  }
  return fail(`Expected a refusal with code ${code}; nothing was refused.`)
}

function eventOf(draft: Draft, run: GivenRun, before: Event | undefined): Event {
  const seq = (before?.seq ?? 0) + 1
  const identity = {
    id: `event-${seq}`,
    run_id: run.runId ?? 'run',
    agent_id: run.agentId ?? 'agent',
    operation: run.operation ?? 'task',
    node_id: run.node?.id ?? '-',
    seq,
    turn: draft.turn ?? before?.turn ?? 0,
    timestamp: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
    prev: before?.hash ?? GENESIS,
    nonces: sampleNonces(`${seq}`),
  }
  return seal(draft, identity, sha256).event
}
