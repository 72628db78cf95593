/** Who calls a node and which tests are about it, across files. */

import { calledNode, type Project, projectOf } from './names.ts'
import type { CodeNode } from './node.ts'

export interface Edge {
  /** Key of the node at the other end. */
  key: string
  /** False when a name was matched whose meaning could not be followed: a method of a value of unknown type, a wildcard. */
  certain: boolean
}

export interface Edges {
  /** Nodes outside of tests that call this one. */
  callers: Edge[]
  /** Nodes in test files that call this one; of a method also those that call its class, uncertain. */
  tests: Edge[]
}

const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec)|conftest)\.[a-z]+$/
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__)\//

export const isTestFile = (path: string): boolean => TEST_FILE.test(path) || TEST_FOLDER.test(path)

const addEdge = (edges: Map<string, boolean>, key: string, certain: boolean) => {
  edges.set(key, certain || (edges.get(key) ?? false))
}

const toEdges = (edges: ReadonlyMap<string, boolean>): Edge[] =>
  [...edges].map(([key, certain]) => ({ key, certain })).sort((one, other) => (one.key < other.key ? -1 : 1))

const collect = (project: Project) => {
  const callers = new Map<string, Map<string, boolean>>()
  const into = (key: string) => {
    const known = callers.get(key) ?? new Map<string, boolean>()
    callers.set(key, known)
    return known
  }
  for (const nodes of project.files.values())
    for (const node of nodes.values())
      for (const callee of node.callees) {
        const target = calledNode(project, node, callee)
        if (target !== null && target.node.key !== node.key)
          addEdge(into(target.node.key), node.key, target.certain)
      }
  return callers
}

/** Edges of every node, by key. Nodes of one project only: what they call elsewhere has no edge. */
export const findEdges = (all: readonly CodeNode[]): Map<string, Edges> => {
  const project = projectOf(all)
  const byKey = new Map(all.map((node) => [node.key, node]))
  const callers = collect(project)
  const result = new Map<string, Edges>()
  for (const node of all) {
    const calls = new Map<string, boolean>()
    const tests = new Map<string, boolean>()
    for (const [key, certain] of callers.get(node.key) ?? [])
      addEdge(isTestFile(byKey.get(key)?.path ?? '') ? tests : calls, key, certain)
    const owner = node.type === 'method' && node.parent !== null ? callers.get(node.parent) : undefined
    for (const key of owner?.keys() ?? [])
      if (isTestFile(byKey.get(key)?.path ?? '') && !tests.has(key)) addEdge(tests, key, false)
    result.set(node.key, { callers: toEdges(calls), tests: toEdges(tests) })
  }
  return result
}
