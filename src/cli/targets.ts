import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Agent, Target } from '../agents/agent.ts'
import { findNodes } from '../hub/find.ts'
import { type CodeNode, nodeSource } from '../hub/node.ts'
import type { Job } from './job.ts'

/** Nodes under the paths that an agent works on, as jobs. */
export async function jobsFor(
  agent: Agent,
  project: string,
  paths: readonly string[],
  run: string,
): Promise<Job[]> {
  const jobs: Job[] = []
  const inside = paths.map((path) => relative(project, resolve(path)) || '.')
  for await (const file of findNodes(project, inside)) {
    if (file.nodes.length === 0) continue
    const bytes = await readFile(join(project, file.path))
    for (const node of file.nodes) {
      if (!agent.definition.node_types.includes(node.type)) continue
      const target = targetOf(node, bytes)
      if (agent.definition.languages.includes(target.language)) {
        jobs.push({ agent, agent_id: agentIdOf(agent.operation, node.key, run), target })
      }
    }
  }
  return jobs
}

export function targetOf(node: CodeNode, bytes: Uint8Array): Omit<Target, 'workspace'> {
  return {
    file_path: node.path,
    language: node.language === 'tsx' ? 'typescript' : node.language,
    node: {
      id: node.key,
      type: node.type,
      name: node.name,
      text: Buffer.from(nodeSource(bytes, node.span)).toString('utf8'),
    },
  }
}

/** Readable, short to type, and unique: the operation, the node, the run. */
const agentIdOf = (operation: string, node: string, run: string): string =>
  `${operation}-${node
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(-80)
    .replace(/^-/, '')}-${run}`
