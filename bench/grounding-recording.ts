import type { Event } from '../src/core/event/event.ts'
import { loadTokenizer } from '../src/core/memory/tokenizer.ts'
import type { Tokenizer } from '../src/core/tokens/tokenizer.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import type { Step, Trajectory } from '../src/import/trajectory.ts'
import { memoryStore } from '../src/store/memory.ts'
import type { Action } from './grounding-needs.ts'

/** A trajectory, recorded once: its events can be folded under any budget. */
export interface Recording {
  readonly task: string
  readonly actions: readonly Action[]
  readonly events: readonly Event[]
  readonly tokenizer: Tokenizer
}

const AGENT = 'bench'
/** While recording; the goal is split by it, so it is that of the tables by source. */
const RECORDED_TOKENS = 2000

export async function read(text: string, name: string, tokenizer: string): Promise<Recording> {
  const store = memoryStore()
  const trajectory = readTrajectory(text, name)
  const { steps, actions } = await actionsOf(trajectory)
  await recordTrajectory(
    { ...trajectory, steps },
    { store, agentId: AGENT, packetSizeLimit: RECORDED_TOKENS, tokenizer },
  )
  const events: Event[] = []
  for await (const event of store.read(AGENT)) events.push(event)
  return { task: trajectory.goal ?? '', actions, events, tokenizer: await loadTokenizer(tokenizer) }
}

const inText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** Every call of a trajectory with its turn; its steps can be read once, so they are given back. */
export async function actionsOf(trajectory: Trajectory): Promise<{ steps: Step[]; actions: Action[] }> {
  const steps: Step[] = []
  const actions: Action[] = []
  let last = 0
  const waiting: { turn: number; tool: string; args: unknown }[] = []
  for await (const step of trajectory.steps) {
    steps.push(step)
    if (step.kind === 'model') {
      last = step.turn ?? last + 1
      waiting.push(...step.calls.map(({ tool, args }) => ({ turn: last, tool, args })))
    } else if (step.kind === 'result') {
      const call = waiting.shift()
      if (call)
        actions.push({
          turn: call.turn,
          call: call.tool,
          args: inText(call.args),
          output: inText(step.output),
        })
    }
  }
  return { steps, actions }
}
