import type { Json } from '../core/event/json.ts'
import { PACKET_TOKENS_DEFAULT } from '../limits.ts'
import type { MemoryOptions } from '../memory.ts'
import { Memory } from '../memory.ts'
import { personReply } from '../summarize/person-reply.ts'
import { markStated } from '../tool/result.ts'
import type { FinishedCall, Step, Trajectory } from './trajectory.ts'
import { heldBack } from './whole.ts'

/** What a recorded task may take of the packet. */
const GOAL_PERCENT = 18

export interface Imported {
  readonly agent_id: string
  readonly turns: number
  readonly calls: number
  readonly raw_bytes: number
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
  const limit = options.packetSizeLimit ?? PACKET_TOKENS_DEFAULT
  const held = heldBack(options.store)
  const memory = await Memory.open({
    operation: 'import',
    ...options,
    store: held.store,
    goal: trajectory.goal,
    // A live run with so long a goal would be refused; a recorded one is shown as far as it leaves space.
    goalTokensMax: Math.floor((limit * GOAL_PERCENT) / 100),
    origin: { ...trajectory.origin, instructions: trajectory.instructions },
    summarizers: { respond: personReply, ...options.summarizers },
  })
  const total = { turns: 0, calls: 0, raw_bytes: 0 }
  let begun: number | undefined
  try {
    for await (const step of trajectory.steps) {
      if (step.kind === 'user') {
        await memory.say(step.text)
        continue
      }
      const turn = Math.max(step.turn ?? memory.turn + 1, memory.turn)
      if (turn !== begun) {
        if (begun !== undefined) await onTurn(memory, begun)
        await memory.record({ type: 'turn_start', data: {}, turn })
        begun = turn
        total.turns++
      }
      await recordTurn(memory, step, total)
    }
    if (begun !== undefined) await onTurn(memory, begun)
    await memory.record({
      type: 'run_end',
      data: { reason: 'imported', summary: `${total.turns} turns imported` },
    })
    await held.commit()
  } finally {
    await memory.close()
  }
  return { agent_id: memory.agent_id, ...total }
}

async function recordTurn(
  memory: Memory,
  step: Extract<Step, { kind: 'turn' }>,
  total: { calls: number; raw_bytes: number },
): Promise<void> {
  if (step.text !== '') {
    await memory.record({ type: 'model_response', data: { model: 'imported', text: step.text } })
  }
  for (const call of step.calls) {
    const recorded = await memory.recordCall({
      tool: call.tool,
      args: call.args,
      ...(call.call_id === undefined ? {} : { callId: call.call_id }),
    })
    total.calls++
    if (call.output === undefined) continue
    await memory.recordResult({ call: recorded, returned: returnedBy(call), args: call.args })
    // A recording's `respond` speaks to a person, and its output is what that person answered.
    if (call.tool === 'respond' && typeof call.output === 'string' && call.output.trim() !== '')
      await memory.say(call.output.trim())
    total.raw_bytes += Buffer.byteLength(answerText(call.output))
  }
}

const answerText = (output: Json | undefined): string =>
  typeof output === 'string' ? output : JSON.stringify(output)

/** The output untouched; wrapped in the contract's shape when the source says that it is an error. */
function returnedBy({ is_error, output }: FinishedCall): unknown {
  if (is_error !== true) return output
  const error = answerText(output).trim().split('\n', 1)[0]?.slice(0, 600) || 'failed'
  return markStated({ result: output, outcome: 'error', error })
}
