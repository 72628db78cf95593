import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent } from '../../src/agent/agent.ts'
import { extensionsOf } from '../../src/agent/extension.ts'
import { goalFor } from '../../src/agent/template.ts'
import { loadAgents } from '../../src/agents/load.ts'
import type { Json } from '../../src/core/event/json.ts'
import { stateAt } from '../../src/core/memory/at.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import { nodePath } from '../../src/nodes/source-path.ts'
import type { AgentOptions } from '../../src/run/agent-options.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { callTool } from '../../src/tool/call.ts'
import { assertToolResult, type ToolResult } from '../../src/tool/result.ts'
import { StoredOutput } from '../../src/tool/stored-output.ts'
import { put, scratch } from '../workspace/scratch.ts'

const SAMPLE = fileURLToPath(new URL('../../examples/sample-project', import.meta.url))

/** A copy of the bundled project. */
export async function sampleProject(): Promise<string> {
  const folder = await scratch()
  // Whoever tries the commands there leaves records behind.
  await cp(SAMPLE, folder, { recursive: true, filter: (from) => !from.includes('.agentfs') })
  return folder
}

export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await scratch()
  await put(folder, files)
  return folder
}

export async function builtIn(name: string): Promise<Agent> {
  const { agents, problems } = await loadAgents({})
  const agent = agents.get(name)
  if (!agent) throw new Error(`${name} does not load: ${JSON.stringify(problems)}`)
  return agent
}

/** Calls one tool of an agent at a node; what it throws is thrown. */
export async function call(
  agent: Agent,
  tool: string,
  args: Json,
  at: { workspace: string; project?: string; node: string; type?: string },
): Promise<ToolResult> {
  const found = agent.tools.find(({ name }) => name === tool)
  if (!found) throw new Error(`${agent.definition.name} has no ${tool}`)
  const node = { id: at.node, type: at.type ?? 'file' }
  const signal = new AbortController().signal
  const { workspace, project } = at
  const called = await callTool(found, args, {
    workspace,
    ...(project ? { project } : {}),
    node,
    signal,
    trusts: () => true,
  })
  if ('thrown' in called) throw called.thrown
  const returned = called.returned instanceof StoredOutput ? called.returned.shown : called.returned
  assertToolResult(returned)
  return returned
}

/** Runs an agent with the embedded default from its first event to its last. */
export async function runDefault(
  agent: Agent,
  workspace: string,
  file: string,
  more: Partial<Pick<AgentOptions, 'packetSizeLimit' | 'model'>> = {},
) {
  const store = memoryStore()
  const node = { id: file, type: 'file' }
  const { definition, operation } = agent
  const agent_id = `${operation}-agent`
  const { stop, failed, packet, result, open } = await startAgent({
    store,
    agentId: agent_id,
    operation,
    node,
    goal: goalFor(definition, {
      file_path: nodePath(file),
      language: file.endsWith('.py') ? 'python' : 'typescript',
      node: { ...node, name: file, text: '', summary: '' },
    }),
    instructions: definition.prompt,
    tools: agent.tools,
    summarizers: agent.summarizers,
    candidates: definition.candidates,
    status: definition.status,
    ...(definition.check ? { check: definition.check } : {}),
    failsWhen: definition.fails_when,
    extensions: extensionsOf(definition),
    contextProviders: agent.context,
    workspace,
    model: firstCandidate(),
    trusts: () => true,
    limits: { turnsMax: definition.max_turns },
    ...more,
  })
  const calls: { tool: string; args: Json }[] = []
  /** What was proposed when a turn ended, and when the next asked its model. */
  const statuses: { ended: unknown; next: unknown }[] = []
  const statusAt = async (seq: number) => {
    const { state } = await stateAt(store, agent_id, { seq })
    return [state.state_summary?.value, state.candidates?.value]
  }
  let begun = 0
  for await (const event of store.read(agent_id)) {
    if (event.type === 'turn_start') begun = event.turn > 1 ? event.seq : 0
    if (event.type === 'model_request' && begun > 0)
      statuses.push({ ended: await statusAt(begun - 1), next: await statusAt(event.seq) })
  }
  for await (const event of store.read(agent_id))
    if (event.type === 'tool_call')
      calls.push({ tool: event.data.tool, args: (await fieldOf(store, event, 'args')) as Json })
  return {
    stop,
    failed,
    packet,
    open,
    statuses,
    calls,
    submitted: result,
    path: join(workspace, file),
    /** The state right after the first result of a tool. */
    async after(tool: string) {
      for await (const event of store.read(agent_id))
        if (event.type === 'tool_result' && event.data.tool === tool)
          return (await stateAt(store, agent_id, { seq: event.seq })).state
      throw new Error(`${tool} was not called`)
    },
  }
}
