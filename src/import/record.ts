import { PACKET_TOKENS_DEFAULT } from '../limits.ts'
import type { MemoryOptions } from '../memory.ts'
import { Memory } from '../memory.ts'
import { personReply } from '../summarize/person-reply.ts'
import { recordSteps, stepClock } from './steps.ts'
import type { Step, Trajectory } from './trajectory.ts'
import { heldBack } from './whole.ts'

/** What a recorded task may take of the packet. */
const GOAL_PERCENT = 18

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
export async function helping(trajectory: Trajectory): Promise<Trajectory> {
  let goal: string | undefined
  for await (const step of trajectory.steps)
    if (step.kind === 'person') {
      goal = step.text
      break
    }
  async function* steps(): AsyncGenerator<Step> {
    let isGoal = true
    for await (const step of trajectory.steps) {
      if (step.kind !== 'person') yield step
      else if (!isGoal) yield { ...step, kind: 'note' }
      if (step.kind === 'person') isGoal = false
    }
  }
  return { ...trajectory, goal: goal ?? trajectory.goal, steps: steps() }
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
  const held = heldBack(options.store)
  const clock = stepClock(options.now)
  clock.at(trajectory.started)
  const memory = await Memory.open(foreignLog(trajectory, { ...options, store: held.store, now: clock.now }))
  try {
    const recorder = recordSteps(memory, clock, (turn) => onTurn(memory, turn))
    for await (const step of trajectory.steps) await recorder.record(step)
    await recorder.end()
    const { recorded } = recorder
    await memory.record({
      type: 'run_end',
      data: { reason: 'imported', summary: `${recorded.turns} turns imported` },
    })
    await held.commit()
    return { agent_id: memory.agent_id, ...recorded }
  } finally {
    await memory.close()
  }
}
