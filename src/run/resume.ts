import { SUBMIT_TOOL } from '../agent/submit.ts'
import type { Call, EventFor } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import { fieldOf } from '../memory/blobs.ts'
import { error } from '../tool/result.ts'
import { complete, execute, submit } from './execute.ts'
import type { AgentRun, Stop } from './run.ts'
import { decide } from './turn.ts'
import { withoutCall } from './without-call.ts'

/** What the last turn of a log leaves to be done. */
export interface Pending {
  /** The run was over: its result was handed in. */
  readonly ended?: Stop
  /** The turn began, and no answer came. */
  readonly unanswered: boolean
  /** An answer without a call that nothing was made of. */
  readonly silent?: EventFor<'model_response'>
  readonly open: readonly EventFor<'tool_call'>[]
  /** Calls of the answer that were not begun. */
  readonly left: readonly Call[]
  /** A result that was accepted, and perhaps not recorded as the run's. */
  readonly accepted?: EventFor<'tool_call'>
  readonly submitted?: EventFor<'submit_result'>
}

/**
 * Finishes the turn that was cut short: a call without a result runs again if it is `pure` or `idempotent`; an
 * `effect` may have happened, so it does not, and the packet says so. Then come the answer's remaining calls, or the
 * answer itself if there was none.
 */
export async function finish(
  run: AgentRun,
  { submitted, accepted, open, left, unanswered, silent }: Pending,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  if (submitted) return { reason: 'submitted', summary: submitted.data.summary }
  if (accepted) return submit(run, await argsOf(run, accepted))
  for (const call of open) {
    const stop = await settle(run, call, signal)
    if (stop) return stop
  }
  for (const call of left) {
    const stop = await execute(run, call, signal)
    if (stop) return stop
  }
  if (silent) return withoutCall(run, String((await fieldOf(run.store, silent, 'text')) ?? ''), signal)
  return unanswered ? decide(run, signal) : undefined
}

async function settle(
  run: AgentRun,
  call: EventFor<'tool_call'>,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const args = await argsOf(run, call)
  const tool = run.agent.tools.find(({ name }) => name === call.data.tool)
  if (call.data.effect !== 'effect') return complete(run, call, tool, args, signal)
  const message = `${call.data.tool} was interrupted: it may or may not have happened. Look before calling it again.`
  await run.memory.recordResult(call, error(message), args)
  return undefined
}

const argsOf = async ({ store }: AgentRun, call: EventFor<'tool_call'>): Promise<Json> =>
  ((await fieldOf(store, call, 'args')) ?? {}) as Json // bytes are never spilled as arguments

/** Reads the log for what its last turn leaves open. */
export async function pendingOf({ store, memory }: AgentRun): Promise<Pending> {
  const open = new Map<string, EventFor<'tool_call'>>()
  const called = new Set<string>()
  let answer: EventFor<'model_response'> | undefined
  let settled = false
  let accepted: EventFor<'tool_call'> | undefined
  let submitted: EventFor<'submit_result'> | undefined
  let ended: Stop | undefined
  for await (const event of store.read(memory.agent_id)) {
    if (event.type === 'turn_start') answer = undefined
    else if (event.type === 'model_response') {
      answer = event
      settled = false
      called.clear()
    } else if (event.type === 'tool_call') {
      open.set(event.data.call_id, event)
      called.add(event.data.call_id)
      settled = true
    } else if (event.type === 'tool_result') {
      if (event.data.tool === SUBMIT_TOOL && event.data.outcome !== 'error')
        accepted = open.get(event.data.call_id)
      open.delete(event.data.call_id)
    } else if (event.type === 'agent_error' && event.data.where === 'answer') settled = true
    else if (event.type === 'submit_result') submitted = event
    else if (event.type === 'run_end' && event.data.reason === 'submitted')
      ended = { reason: 'submitted', summary: event.data.summary }
  }
  const calls = answer ? (((await fieldOf(store, answer, 'calls')) ?? []) as Call[]) : []
  return {
    unanswered: answer === undefined,
    open: [...open.values()],
    left: calls.filter((call) => !called.has(call.call_id)),
    ...(answer && calls.length === 0 && !settled ? { silent: answer } : {}),
    ...(accepted ? { accepted } : {}),
    ...(submitted ? { submitted } : {}),
    ...(ended ? { ended } : {}),
  }
}
