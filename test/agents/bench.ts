import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Target } from '../../src/agent/agent.ts'
import { goalOf } from '../../src/agent/template.ts'
import { loadAgents } from '../../src/agents/load.ts'
import type { Json } from '../../src/event/json.ts'
import { Memory } from '../../src/memory/memory.ts'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import { nodePath } from '../../src/nodes/node-path.ts'
import { followRun } from '../../src/run/follow.ts'
import { loop } from '../../src/run/loop.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { callTool } from '../../src/tool/call.ts'
import { Kept } from '../../src/tool/kept.ts'
import { assertToolResult, type ToolResult } from '../../src/tool/result.ts'
import { declarationOf } from '../../src/tool/tool.ts'
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
  at: { workspace: string; node: string; type?: string },
): Promise<ToolResult> {
  const found = agent.tools.find(({ name }) => name === tool)
  if (!found) throw new Error(`${agent.definition.name} has no ${tool}`)
  const node = { id: at.node, type: at.type ?? 'file' }
  const signal = new AbortController().signal
  const called = await callTool(found, args, { workspace: at.workspace, node, signal })
  if ('thrown' in called) throw called.thrown
  const returned = called.returned instanceof Kept ? called.returned.shown : called.returned
  assertToolResult(returned)
  return returned
}

/** Runs an agent with the embedded default from its first event to its last. */
export async function runDefault(agent: Agent, workspace: string, file: string) {
  const store = memoryStore()
  const node = { id: file, type: 'file' }
  const target: Target = {
    workspace,
    file_path: nodePath(file),
    language: file.endsWith('.py') ? 'python' : 'typescript',
    node: { ...node, name: file, text: '' },
  }
  const memory = await Memory.open({
    store,
    agent_id: `${agent.operation}-agent`,
    operation: agent.operation,
    node,
    goal: goalOf(agent.definition, target),
    instructions: agent.definition.prompt,
    tools: agent.tools.map(declarationOf),
    summarizers: agent.summarizers,
  })
  const run = {
    agent,
    memory,
    state: await followRun(memory, store),
    store,
    model: firstCandidate(),
    workspace,
    target,
    context: 'packet' as const,
    limits: { turns_max: agent.definition.max_turns },
    wait: async () => {},
    random: () => 0.5,
  }
  const stop = await loop(run, new AbortController().signal)
  const calls: { tool: string; args: Json }[] = []
  for await (const event of store.read(memory.agent_id))
    if (event.type === 'tool_call') calls.push({ tool: event.data.tool, args: event.data.args ?? null })
  const { packet } = memory
  await memory.close()
  return {
    stop,
    packet,
    calls,
    submitted: calls.find(({ tool }) => tool === 'submit_result')?.args,
    path: join(workspace, file),
  }
}
