/** An answer about some nodes, out of an index and what is different from it now. */

import { HUB_CALLER_FILES_MAX, HUB_NODES_MAX } from '../../limits.ts'
import { isSourcePath, nodePath } from '../../nodes/source-path.ts'
import { freshnessOf, type HubAnswer } from '../hub.ts'
import type { CodeIndex } from './code-index.ts'
import { isFound, staleOverlay, workspaceOverlay } from './overlay.ts'
import { View } from './view.ts'

export interface Question {
  nodes: string[]
  /** The asking agent's own copy of the project, and the files in it that it may have changed, besides those of the nodes. */
  workspace?: string | undefined
  paths?: string[] | undefined
}

/** Paths of the nodes that can be code; what else is named in a run (a task, a text file) is no question for the hub. */
export const askedPaths = (nodes: readonly string[]): string[] => [
  ...new Set(nodes.map(nodePath).filter((path) => isSourcePath(path))),
]

/** The files that an answer rests on: those of the nodes, then those of their callers. */
export const pathsBehind = (index: CodeIndex | undefined, nodes: readonly string[]): string[] => {
  const callers = new Set(nodes.flatMap((key) => index?.callersOf(key).map(({ path }) => path) ?? []))
  return [...new Set([...askedPaths(nodes), ...[...callers].slice(0, HUB_CALLER_FILES_MAX)])]
}

/** Files that changed since they were indexed are read here, a few; the index's writer has taken them in before. */
export const answerFrom = async (
  index: CodeIndex | undefined,
  root: string,
  { nodes: asked, workspace, paths = [] }: Question,
): Promise<HubAnswer> => {
  const nodes = [...new Set(asked)].slice(0, HUB_NODES_MAX)
  const behind = pathsBehind(index, nodes)
  const { overlay: stale, unread } = await staleOverlay(index, root, behind)
  const own = workspace && (await workspaceOverlay(index, workspace, new Set([...behind, ...paths])))
  const view = new View(index, new Map([...stale, ...(own || [])]))
  const states = nodes.flatMap((key) => view.state(key, unread) ?? [])
  const known = new Set(states.map(({ key }) => key))
  const missing: string[] = []
  for (const key of nodes) {
    const path = nodePath(key)
    if (known.has(key) || !isSourcePath(path) || unread.has(path)) continue
    // A file that is there and not in the index is ignored by the project's rules: nothing is known of it.
    if (view.has(path) || !(await isFound(workspace, root, path))) missing.push(key)
  }
  return { states, missing, freshness: freshnessOf(states), source: 'index' }
}
