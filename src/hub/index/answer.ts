/** An answer about some nodes, out of the index and what an agent changed. */

import { isSourcePath, nodePath } from '../../nodes/source-path.ts'
import { freshnessOf, type HubAnswer } from '../hub.ts'
import type { CodeIndex } from './code-index.ts'
import { CodeView } from './code-view.ts'
import { isFound, workspaceOverlay } from './overlay.ts'

/** Files of callers that are looked at for an answer, besides those of the nodes. */
const CALLER_FILES_MAX = 100

export interface Question {
  readonly nodes: readonly string[]
  /** The asking agent's own copy of the project, and the files in it that it may have changed, besides those of the nodes. */
  readonly workspace: string | undefined
  readonly paths: Iterable<string>
}

/** Paths of the nodes that can be code; what else is named in a run (a task, a text file) is no question for the hub. */
export const askedPaths = (nodes: readonly string[]): string[] => [
  ...new Set(nodes.map(nodePath).filter((path) => isSourcePath(path))),
]

/** The files that an answer rests on: those of the nodes, then those of their callers. */
export const pathsBehind = (index: CodeIndex, nodes: readonly string[]): string[] => {
  const callers = new Set(nodes.flatMap((key) => index.links.callersOf(key).map(({ path }) => path)))
  return [...new Set([...askedPaths(nodes), ...[...callers].slice(0, CALLER_FILES_MAX)])]
}

/** `isComplete` is false while not all files are known: then nobody knows the callers. */
export const answerFrom = async (
  index: CodeIndex,
  root: string,
  { nodes, workspace, paths }: Question,
  isComplete: boolean,
): Promise<HubAnswer> => {
  const behind = new Set([...pathsBehind(index, nodes), ...paths])
  const view = new CodeView(index, workspace ? await workspaceOverlay(index, workspace, behind) : undefined)
  const states = nodes.flatMap((key) => view.state(key, isComplete) ?? [])
  const known = new Set(states.map(({ key }) => key))
  const missing: string[] = []
  for (const key of nodes) {
    const path = nodePath(key)
    if (known.has(key) || !isSourcePath(path)) continue
    // A file that is there and not in the index is ignored by the project's rules: nothing is known of it.
    if (view.has(path) || !(await isFound(workspace, root, path))) missing.push(key)
  }
  const source = isComplete ? 'index' : 'index, not yet complete'
  return { states, missing, freshness: freshnessOf(states), source }
}
