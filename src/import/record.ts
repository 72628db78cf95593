import { PACKET_TOKENS_DEFAULT } from '../limits.ts'
import type { MemoryOptions } from '../memory.ts'
import { Memory } from '../memory.ts'
import { personReply } from '../summarize/person-reply.ts'
import type { Session } from './format.ts'
import { recordSteps, stepClock } from './steps.ts'
import type { Step, Trajectory } from './trajectory.ts'

/** What a recorded task may take of the packet. */
const GOAL_PERCENT = 18
/** What is recorded is held back until it is whole. Of a longer recording the rest is written as it comes, so that memory does not grow with it. */
const HELD_BYTES_MAX = 16 * 1024 * 1024
const HELD_EVENTS_MAX = 10_000
const GROUP = 16

export interface Imported {
  readonly agent_id: string
  readonly turns: number
  readonly calls: number
  readonly raw_bytes: number
  /** What could not be read, in the words of the source's reader. */
  readonly remarks: readonly string[]
}

/** A log for what some other harness did, and what it is recorded with. */
export const foreignLog = (
  { goal, instructions, origin }: Omit<Trajectory, 'steps'>,
  options: Omit<MemoryOptions, 'goal'>,
): MemoryOptions => ({
  operation: 'import',
  ...options,
  goal,
  // A live run with so long a goal would be refused; a recorded one is shown as far as it leaves space.
  goalTokensMax: Math.floor(((options.packetSizeLimit ?? PACKET_TOKENS_DEFAULT) * GOAL_PERCENT) / 100),
  wire: 'unseen',
  origin: { ...origin, instructions },
  summarizers: { respond: personReply, ...options.summarizers },
})

/** What a helper is told comes from the model that it works for: its goal first, and no person's word. */
export function helping(session: Session): Session {
  const [goal] = personsIn(session.steps)
  if (goal === undefined) return session
  function* steps(): Generator<Step> {
    let isGoal = true
    for (const step of session.steps) {
      if (step.kind !== 'person') yield step
      else if (!isGoal) yield { ...step, kind: 'note' }
      isGoal &&= step.kind !== 'person'
    }
  }
  return { ...session, goal, steps: { [Symbol.iterator]: steps } }
}

function* personsIn(steps: Iterable<Step>): Generator<string> {
  for (const step of steps) if (step.kind === 'person') yield step.text
}

/**
 * Records a trajectory as a log of its own, through the same summarizers and the same `record` as a live run: all of it
 * or, where anything fails, nothing.
 * `onTurn` is called once for each turn, with the memory as a model would find it when it chooses the next: what a
 * person said in between is in it.
 */
export async function recordTrajectory(
  trajectory: Trajectory,
  options: Omit<MemoryOptions, 'goal'>,
  onTurn: (memory: Memory, turn: number) => void | Promise<void> = () => {},
): Promise<Imported> {
  const clock = stepClock(options.now)
  clock.at(trajectory.started)
  const memory = await Memory.open({
    ...foreignLog(trajectory, { ...options, now: clock.now }),
    grouped: true,
  })
  const written = { bytes: 0, seq: 0 }
  try {
    const recorder = recordSteps(memory, clock, (turn) => onTurn(memory, turn))
    for await (const step of trajectory.steps) {
      await recorder.record(step)
      const [bytes, { seq }] = [recorder.recorded.raw_bytes, memory.head]
      const part = written.seq === 0 ? 1 : GROUP
      if (bytes - written.bytes < HELD_BYTES_MAX / part && seq - written.seq < HELD_EVENTS_MAX / part)
        continue
      await memory.flush()
      Object.assign(written, { bytes, seq })
    }
    await recorder.end()
    const { recorded } = recorder
    await memory.record({
      type: 'run_end',
      data: { reason: 'imported', summary: `${recorded.turns} turns imported` },
    })
    await memory.flush()
    return { agent_id: memory.agent_id, ...recorded }
  } catch (thrown) {
    await memory.close('abandon')
    throw thrown
  } finally {
    await memory.close()
  }
}
