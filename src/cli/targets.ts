import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Agent, Target } from '../agent/agent.ts'
import { findNodes } from '../nodes/find.ts'
import { type CodeNode, nodeSource } from '../nodes/node.ts'
import { codeSummary } from '../nodes/summary.ts'
import type { Job } from './job.ts'

/** Nodes under the paths that an agent works on, as jobs. What was named first goes first. */
export async function jobsFor(
  agent: Agent,
  project: string,
  paths: readonly string[],
  run: string,
): Promise<Job[]> {
  const jobs: Job[] = []
  const taken = new Set<string>()
  const inside = paths.map((path) => relative(project, resolve(path)) || '.')
  for await (const file of findNodes(project, inside)) {
    if (file.nodes.length === 0) continue
    const bytes = await readFile(join(project, file.path))
    for (const node of file.nodes) {
      if (!agent.definition.node_types.includes(node.type)) continue
      const target = targetOf(node, bytes, file.nodes)
      if (!agent.definition.languages.includes(target.language)) continue
      const agent_id = uniqueId(agent.operation, node.key, run, taken)
      jobs.push({ agent, agent_id, target, priority: -placeIn(inside, file.path) })
    }
  }
  return jobs
}

export function targetOf(node: CodeNode, bytes: Uint8Array, nodes: readonly CodeNode[]): Target {
  return {
    file_path: node.path,
    language: node.language === 'tsx' ? 'typescript' : node.language,
    node: {
      id: node.key,
      type: node.type,
      name: node.name,
      text: Buffer.from(nodeSource(bytes, node.span)).toString('utf8'),
      summary: codeSummary(node, nodes),
    },
  }
}

/** Which of the paths a file was found under. */
const placeIn = (paths: readonly string[], file: string): number =>
  paths.findIndex((path) => path === '.' || path === file || file.startsWith(`${path}/`))

/** Readable and short to type: the operation, the node, the run. A number where that leads to the same twice. */
function uniqueId(operation: string, node: string, run: string, taken: Set<string>): string {
  const name = node
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(-80)
    .replace(/^-/, '')
  let id = `${operation}-${name}-${run}`
  for (let next = 2; taken.has(id); next++) id = `${operation}-${name}-${next}-${run}`
  taken.add(id)
  return id
}
