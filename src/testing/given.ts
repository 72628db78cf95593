import { deepStrictEqual, fail, partialDeepStrictEqual } from 'node:assert/strict'
import { TwotrackError } from '../errors.ts'
import { type Draft, type Event, GENESIS } from '../event/event.ts'
import { seal } from '../event/line.ts'
import { type MemoryOptions, runStartOf } from '../memory/options.ts'
import { fold } from '../packet/fold.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import { packetOf, promptOf } from '../prompt/prompt.ts'
import { counterOf } from '../prompt/tokens/counter.ts'
import { estimate } from '../prompt/tokens/estimate.ts'
import { sha256 } from '../sha256.ts'
import { memoryStore } from '../store/memory.ts'

/** What a scenario's run begins with; everything has a default. */
export type GivenRun = Partial<Omit<MemoryOptions, 'store' | 'tokenizer'>>

export interface Given {
  /** The event under test. */
  when(draft: Draft): Then
}

export interface Then {
  readonly packet: Packet
  /** Exactly the text a model would be given. */
  readonly prompt: string
  /** Checks the fields that are named, all the way down; lists are compared as wholes. */
  then(expected: Partial<Packet>): void
  /** The event leaves the packet as it was. */
  thenNothing(): void
}

/**
 * `given(events).when(event).then(packet)`: a log begins, the events happen, one more does, and the packet holds
 * what is expected. Pure and synchronous; ids and times are the same in every run.
 *
 *     given([lintRan]).when(fixApplied).then({ last_error: null, error_count: 1 })
 */
export function given(drafts: readonly Draft[], run: GivenRun = {}): Given {
  const begin = runStartOf({ store: memoryStore(), agent_id: 'agent', goal: 'the goal', ...run })
  const log = new Scenario(run)
  for (const draft of [{ type: 'run_start', data: begin } as const, ...drafts]) log.add(draft)
  return {
    when(draft) {
      const before = log.packet()
      log.add(draft)
      const packet = log.packet()
      return {
        packet,
        prompt: log.prompt(),
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

class Scenario {
  readonly #run: GivenRun
  #state: State | undefined
  #last: Event | undefined

  constructor(run: GivenRun) {
    this.#run = run
  }

  add(draft: Draft): void {
    const seq = (this.#last?.seq ?? 0) + 1
    const { event } = seal(
      draft,
      {
        id: `event-${seq}`,
        run_id: this.#run.run_id ?? 'run',
        agent_id: this.#run.agent_id ?? 'agent',
        operation: this.#run.operation ?? 'task',
        node_id: this.#run.node?.id ?? '-',
        seq,
        turn: draft.turn ?? this.#state?.turn ?? 0,
        timestamp: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
        prev: this.#last?.hash ?? GENESIS,
      },
      sha256,
    )
    this.#state = fold(this.#state, event)
    this.#last = event
  }

  packet(): Packet {
    return packetOf(this.#begun(), this.#count())
  }

  prompt(): string {
    return promptOf(this.#begun(), this.#count()).text
  }

  #count() {
    return counterOf(estimate)
  }

  #begun(): State {
    return this.#state ?? fail('The scenario has no events.')
  }
}
