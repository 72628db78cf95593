/** Who calls a node and which tests are about it, across files. */

import { calledNode, type Project } from './names.ts'
import type { CodeNode } from './node.ts'

export interface Edge {
  /** Key of the node at the other end. */
  key: string
  /** False when a name was matched whose meaning could not be followed: a method of a value of unknown type, a wildcard. */
  certain: boolean
}

interface Edges {
  /** Nodes outside of tests that call this one. */
  callers: Edge[]
  /** Nodes in test files that call this one; of a method also those that call its class, uncertain. */
  tests: Edge[]
}

/** A call from a node of one file to a node of any. */
export interface Link {
  from: string
  to: string
  certain: boolean
}

/** A caller, with the file it is in. */
export interface Caller extends Edge {
  path: string
}

const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec)|conftest)\.[a-z]+$/
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__)\//

export const isTestFile = (path: string): boolean => TEST_FILE.test(path) || TEST_FOLDER.test(path)

/**
 * The calls that leave the nodes of a file, and the stems of the files that this depends on: it stays so until the
 * file itself or one with such a stem changes.
 */
export const linksOf = (project: Project, path: string): { links: Link[]; stems: ReadonlySet<string> } => {
  const stems = new Set<string>()
  const watched: Project = {
    file: (asked) => project.file(asked),
    has: (asked) => project.has(asked),
    imported: project.imported,
    looked: stems,
  }
  const links = new Map<string, Link>()
  for (const node of project.file(path)?.named.values() ?? [])
    for (const callee of node.callees) {
      const target = calledNode(watched, node, callee)
      if (target === null || target.node.key === node.key) continue
      const { key } = target.node
      const id = `${node.key}\0${key}`
      const certain = target.certain || (links.get(id)?.certain ?? false)
      links.set(id, { from: node.key, to: key, certain })
    }
  return { links: [...links.values()], stems }
}

const byKey = (one: Edge, other: Edge): number => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0)

const toEdge = ({ key, certain }: Caller): Edge => ({ key, certain })

/** The edges of a node, out of the calls that reach nodes of the project. */
export const edgesOf = (node: CodeNode, callersOf: (key: string) => readonly Caller[]): Edges => {
  const own = callersOf(node.key)
  const tests = own.filter(({ path }) => isTestFile(path)).map(toEdge)
  const tested = new Set(tests.map(({ key }) => key))
  const ofOwner = node.type === 'method' && node.parent !== null ? callersOf(node.parent) : []
  for (const { key, path } of ofOwner)
    if (isTestFile(path) && !tested.has(key)) tests.push({ key, certain: false })
  const callers = own.filter(({ path }) => !isTestFile(path)).map(toEdge)
  return { callers: callers.sort(byKey), tests: tests.sort(byKey) }
}
