import { resolve } from 'node:path'
import type { HubAnswer } from '../hub/hub.ts'
import { openHub } from '../hub/open.ts'
import { findNodes } from '../nodes/find.ts'
import type { CodeNode } from '../nodes/node.ts'
import { configFor, type ProjectOptions, projectFor } from './context.ts'

/** What is known of nodes of code, by their keys, and which of these there are none of. */
export async function askHub(
  options: ProjectOptions,
  keys: readonly string[],
): Promise<{ readonly answer: HubAnswer; readonly unknown: readonly string[] }> {
  const { root, folder } = await projectFor(options)
  const hub = openHub({ project: root, folder })
  try {
    // Who asks for a node wants its callers, however long the first look takes.
    await hub.graph()
    const answer = await hub.pull(keys, undefined)
    const known = new Set(answer.states.map(({ key }) => key))
    return { answer, unknown: keys.filter((key) => !known.has(key)) }
  } finally {
    await hub.close()
  }
}

/** The nodes under the paths, and where files could not be parsed: what was recovered of these is there. */
export async function nodesUnder(options: ProjectOptions, paths: readonly string[]) {
  const { root } = configFor(options)
  const given = paths.length === 0 ? ['.'] : paths.map((path) => resolve(path))
  const nodes: CodeNode[] = []
  const errors: { path: string; line: number | null; message: string }[] = []
  for await (const file of findNodes(root, given)) {
    nodes.push(...file.nodes)
    errors.push(...file.errors.map(({ line, message }) => ({ path: file.path, line, message })))
  }
  return { nodes, errors }
}
