import { SUBMIT_TOOL } from '../agents/submit.ts'
import type { Call, EventFor } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import { fieldOf } from '../memory/blobs.ts'
import { error } from '../tool/result.ts'
import { complete, execute } from './execute.ts'
import type { AgentRun, Stop } from './run.ts'

/**
 * Finishes what a cut-short run left open: a call without a result runs again if it is `pure` or `idempotent`; an
 * `effect` may have happened, so it does not, and the packet says so. Then the answer's remaining calls are made.
 */
export async function finishPending(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  const { open, left, submitted } = await pendingOf(run)
  if (submitted) return { reason: 'submitted', summary: submitted.data.summary }
  for (const call of open) {
    const stop = await settle(run, call, signal)
    if (stop) return stop
  }
  for (const call of left) {
    const stop = await execute(run, call, signal)
    if (stop) return stop
  }
  return undefined
}

async function settle(
  run: AgentRun,
  call: EventFor<'tool_call'>,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const args = ((await fieldOf(run.store, call, 'args')) ?? {}) as Json
  const tool = run.agent.tools.find(({ name }) => name === call.data.tool)
  if (call.data.effect !== 'effect' || call.data.tool === SUBMIT_TOOL)
    return complete(run, call, tool, args, signal)
  const message = `${call.data.tool} was interrupted: it may or may not have happened. Look before calling it again.`
  await run.memory.recordResult(call, error(message), args)
  return undefined
}

interface Pending {
  readonly open: readonly EventFor<'tool_call'>[]
  readonly left: readonly Call[]
  readonly submitted: EventFor<'submit_result'> | undefined
}

async function pendingOf({ store, memory }: AgentRun): Promise<Pending> {
  const open = new Map<string, EventFor<'tool_call'>>()
  let submitted: EventFor<'submit_result'> | undefined
  let answer: EventFor<'model_response'> | undefined
  let called = new Set<string>()
  for await (const event of store.read(memory.agent_id)) {
    if (event.type === 'tool_call') {
      open.set(event.data.call_id, event)
      called.add(event.data.call_id)
    } else if (event.type === 'tool_result') open.delete(event.data.call_id)
    else if (event.type === 'submit_result') submitted = event
    else if (event.type === 'turn_start') answer = undefined
    else if (event.type === 'model_response') {
      answer = event
      called = new Set()
    }
  }
  const calls = answer ? ((await fieldOf(store, answer, 'calls')) as Call[] | undefined) : undefined
  const left = (calls ?? []).filter((call) => !called.has(call.call_id))
  return { open: [...open.values()], left, submitted }
}
