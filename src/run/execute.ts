import { SUBMIT_TOOL } from '../agent/submit.ts'
import type { Call, DataOf, EventFor } from '../core/event/event.ts'
import { defined, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import { TwotrackError } from '../errors.ts'
import { callTool, ToolLog, unknownTool } from '../tool/call.ts'
import { excerptOf } from '../tool/recall.ts'
import { error } from '../tool/result.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import { type JudgedCall, judge } from '../trust/policy.ts'
import type { AgentRun } from './run.ts'
import { cancelled, type Stop } from './state.ts'

/** Records a call, runs it, records what came of it. The result of a submit that fits its schema ends the run. */
export async function execute(run: AgentRun, call: Call, signal: AbortSignal): Promise<Stop | undefined> {
  const tool = run.tools.find(({ name }) => name === call.tool)
  const recorded = await run.memory.recordCall({
    tool: call.tool,
    args: call.args,
    callId: call.call_id,
    effect: tool?.effect ?? 'pure',
  })
  return complete(run, recorded, tool, call.args, signal)
}

/** The part after the call was recorded; a resumed run begins here. */
export async function complete(
  run: AgentRun,
  call: EventFor<'tool_call'>,
  tool: Tool | undefined,
  args: Json,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const { memory, tools } = run
  await memory.flush()
  const { value: given, unknown } = memory.border.reveal(args)
  // The policy judges what the tool would get: a placeholder must not carry anything past it.
  const asked = { tool: call.data.tool, args: given, effect: tool?.effect ?? 'pure' }
  const judged = await judgement(run, asked, call.seq, signal)
  if (judged.refused !== undefined) {
    await memory.recordResult({
      call,
      returned: error(judged.refused),
      args,
      ...defined({ policy: judged.policy }),
    })
    return undefined
  }
  if (!tool) {
    const known = tools.map(({ name }) => name)
    await memory.recordResult({ call, returned: unknownTool(call.data.tool, known), args })
    return undefined
  }
  if (unknown.length > 0) {
    await memory.recordResult({ call, returned: unseen(tool.name, unknown), args })
    return undefined
  }
  const log = new ToolLog()
  if (!tool.filesOnly) await run.workspace?.complete()
  const called = await callTool(tool, given, toolContext(run, signal, log), deadlineOf(run))
  // A call that was cut off has no result: a resumed run knows by the call's effect what to do about it.
  if (signal.aborted && 'thrown' in called) return cancelled(`stopped during ${tool.name}`)
  const returned = 'thrown' in called ? called.thrown : called.returned
  // First what it changed, so that no result stands in a log without it.
  if (run.portable && tool.effect !== 'pure') await run.propose?.()
  const result = await memory.recordResult({
    ...{ call, returned, args, durationMs: Math.round(called.duration_ms) },
    ...defined({ policy: judged.policy, log: log.text || undefined }),
  })
  if (tool.name === SUBMIT_TOOL && result.data.outcome !== 'error') return submit(run, args, signal)
  return signal.aborted ? cancelled(`stopped after ${tool.name}`) : undefined
}

interface Judgement {
  /** What the model is told, if the call does not run. */
  readonly refused?: string
  /** Recorded with the result, where the policy had to decide. */
  readonly policy?: DataOf<'tool_result'>['policy']
}

/** Whether the agent's policy lets a call run; a person is asked where it says so, and silence is no. */
async function judgement(
  run: AgentRun,
  call: JudgedCall,
  seq: number,
  signal: AbortSignal,
): Promise<Judgement> {
  const { policy, approve, memory, workspace } = run
  if (!policy) return {}
  const verdict = await judge(policy, call, await workspace?.complete())
  if (verdict.kind === 'allowed') return {}
  if (verdict.kind === 'refused')
    return { policy: 'refused', refused: `Refused by this agent's policy: ${verdict.why}.` }
  if (!approve)
    return {
      policy: 'refused',
      refused: `Refused by this agent's policy: ${call.tool} needs a person's approval, and nobody is there to give it.`,
    }
  const shown = { ...call, args: memory.border.hideIn(call.args), agent_id: memory.agent_id, seq }
  const yes = await approve(shown, signal)
  return yes
    ? { policy: 'approved' }
    : { policy: 'denied', refused: `A person did not approve this call of ${call.tool}.` }
}

/** Secrets are held by the process that saw them, and nowhere else. */
const unseen = (tool: string, placeholders: readonly string[]) =>
  error(
    `${tool} did not run: ${placeholders.join(', ')} stands for a secret that was seen before this run was resumed, ` +
      'and secrets are not stored. Read it again where it came from; the same secret may then have another placeholder.',
  )

/**
 * The result of the run is recorded as what it is: the words of the agent's own rules, or a model's claim. Whether the work
 * is done says the agent's check, which is called now unless it was since the last change.
 */
export async function submit(run: AgentRun, args: Json, signal: AbortSignal): Promise<Stop> {
  const { memory, check } = run
  const fields: JsonObject = isObject(args) ? (args as JsonObject) : {}
  const summary = typeof fields['summary'] === 'string' ? fields['summary'] : 'result submitted'
  if (check && !run.state().called_since_change.includes(check.tool)) {
    const stop = await execute(run, { call_id: `check_${memory.turn}`, tool: check.tool, args: {} }, signal)
    if (stop) return stop
  }
  const by = run.state().takes_proposed ? 'definition' : 'model'
  await memory.record({ type: 'submit_result', data: { result: args, summary, by } })
  return { reason: 'submitted', summary }
}

const deadlineOf = ({ limits }: AgentRun) =>
  limits.toolDeadlineMs === undefined ? {} : { deadlineMs: limits.toolDeadlineMs }

/** What the tools and context providers of a run get. */
export function toolContext(run: AgentRun, signal: AbortSignal, log = new ToolLog()): ToolContext {
  const { memory, hub } = run
  const graph = hub?.graph?.bind(hub)
  return {
    get workspace() {
      if (run.workspace) return run.workspace.root
      throw new TwotrackError(
        'missing',
        'This agent was started without a workspace, and the tool needs one: startAgent({ workspace }).',
      )
    },
    ...(run.project === undefined ? {} : { project: run.project }),
    ...(run.workspace ? { files: run.workspace } : {}),
    ...(run.shared ? { shared: run.shared } : {}),
    ...(graph ? { code: () => graph(signal) } : {}),
    node: memory.state.node,
    signal,
    keep: (bytes) => memory.keep(bytes),
    recall: (ref, query) => recall(run, ref, query),
    log: (text) => log.add(text),
    ...(run.policy?.network ? { offline: true } : {}),
    ...(run.trusts ? { trusts: run.trusts } : {}),
  }
}

/** A bounded excerpt of an earlier raw output, wherever it is stored. Throws `missing` for what is no action. */
async function recall({ store, memory }: AgentRun, ref: number, query: string): Promise<string> {
  for await (const event of store.read(memory.agent_id, { from: ref, to: ref })) {
    if (event.type !== 'tool_result') break
    const raw = await fieldOf(store, event, 'raw_output')
    return excerptOf([raw instanceof Uint8Array ? raw : Buffer.from(String(raw ?? ''))], query)
  }
  throw new TwotrackError(
    'missing',
    `There is no action with ref ${ref}; the refs are behind # in the packet.`,
  )
}
