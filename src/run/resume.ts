import type { Call, Event, EventFor } from '../core/event/event.ts'
import type { Json } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import { TwotrackError } from '../errors.ts'
import { error } from '../tool/result.ts'
import { complete, execute, submit } from './execute.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './state.ts'
import { decide, withoutCall } from './turn.ts'

/**
 * Finishes the turn that was cut short: a call without a result runs again if it is `pure` or `idempotent`; an
 * `effect` may have happened, so it does not, and the packet says so. Then come the answer's remaining calls, or the
 * answer itself if there was none.
 */
export async function finish(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  const { submitted, accepted, open, answer } = run.state()
  if (submitted) return { reason: 'submitted', summary: submitted.summary }
  for (const { seq } of open) {
    const stop = await settle(run, await callAt(run, seq), signal)
    if (stop) return stop
  }
  if (accepted !== undefined) return submit(run, await argsOf(run, await callAt(run, accepted)), signal)
  if (!answer) return decide(run, signal)
  const response = await eventAt(run, answer.seq)
  const calls = ((await fieldOf(run.store, response, 'calls')) ?? []) as Call[] // checked when it was recorded
  for (const call of calls.slice(answer.begun)) {
    const stop = await execute(run, call, signal)
    if (stop) return stop
  }
  if (calls.length > 0 || answer.settled) return undefined
  return withoutCall(run, String((await fieldOf(run.store, response, 'text')) ?? ''), signal)
}

async function settle(
  run: AgentRun,
  call: EventFor<'tool_call'>,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const args = await argsOf(run, call)
  const tool = run.tools.find(({ name }) => name === call.data.tool)
  // The log alone does not say that a call is harmless: it may have come with a project.
  if (![call.data.effect, tool?.effect].includes('effect')) return complete(run, call, tool, args, signal)
  const message = `${call.data.tool} was interrupted: it may or may not have happened. Look before calling it again.`
  await run.memory.recordResult({ call, returned: error(message), args })
  return undefined
}

const argsOf = async ({ store }: AgentRun, call: EventFor<'tool_call'>): Promise<Json> =>
  ((await fieldOf(store, call, 'args')) ?? {}) as Json // bytes are never spilled as arguments

async function callAt(run: AgentRun, seq: number): Promise<EventFor<'tool_call'>> {
  const event = await eventAt(run, seq)
  if (event.type === 'tool_call') return event
  throw new TwotrackError('damaged', `Event ${seq} of "${run.memory.agent_id}" is no tool_call any more.`)
}

async function eventAt({ store, memory }: AgentRun, seq: number): Promise<Event> {
  for await (const event of store.read(memory.agent_id, { from: seq, to: seq })) return event
  throw new TwotrackError('damaged', `Event ${seq} of "${memory.agent_id}" is gone from the log.`)
}
