/** Who uses a node and which tests are about it, across files. */

import { posix } from 'node:path'
import { stemOf } from './modules.ts'
import { type CodeProject, calledNode, type FileNodes, importsOf } from './names.ts'
import type { CodeNode } from './node.ts'

export interface Edge {
  /** Key of the node at the other end. */
  key: string
  /** False when a name was matched whose meaning could not be followed: a method of a value of unknown type, a wildcard. */
  certain: boolean
}

interface Edges {
  /** Nodes outside of tests that call this one; of a file, the files that import it. */
  callers: Edge[]
  /** The same in test files; of a method also those that call its class, uncertain. */
  tests: Edge[]
}

/** A call from a node of one file to a node of any. */
interface Link {
  from: string
  to: string
  certain: boolean
}

/** Where a file leads. */
export interface FileEdges {
  readonly links: readonly Link[]
  /** The files that it imports. */
  readonly imports: ReadonlySet<string>
  /** Stems of the files that this depends on. */
  readonly stems: ReadonlySet<string>
}

/** A caller, with the file it is in. */
export interface Caller extends Edge {
  path: string
}

/** The code of a project and what leads from file to file, as an agent asks for it. */
export interface CodeGraph {
  files(): readonly string[]
  file(path: string): FileNodes | undefined
  /** Files that import a file; of `conftest.py` also the tests that pytest loads it for. */
  importersOf(path: string): readonly string[]
  callersOf(key: string): readonly Caller[]
}

const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec)|conftest)\.[a-z]+$/
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__)\//

export const isTestFile = (path: string): boolean => TEST_FILE.test(path) || TEST_FOLDER.test(path)

/** pytest loads these for a test, from its folder upwards. */
const conftestsOf = (path: string): string[] => {
  if (!path.endsWith('.py') || !isTestFile(path)) return []
  const folders = path.split('/').slice(0, -1)
  const found = ['', ...folders].map((_, count) => posix.join(...folders.slice(0, count), 'conftest.py'))
  return found.filter((one) => one !== path)
}

/**
 * The calls that leave the nodes of a file, the files that it imports, and the stems of the files that this depends on:
 * it stays so until the file itself or one with such a stem changes.
 */
export const edgesFrom = (project: CodeProject, path: string): FileEdges => {
  const stems = new Set<string>()
  const watched: CodeProject = {
    file: (asked) => project.file(asked),
    has: (asked) => project.has(asked),
    layout: project.layout,
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
  const imports = importsOf(watched, path)
  for (const one of conftestsOf(path)) {
    stems.add(stemOf(one))
    if (project.has(one)) imports.add(one)
  }
  return { links: [...links.values()], imports, stems }
}

const byKey = (one: Edge, other: Edge): number => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0)

const toEdge = ({ key, certain }: Caller): Edge => ({ key, certain })

/** The edges of a node, out of the calls and imports that reach it. */
export const edgesOf = (
  node: CodeNode,
  { callersOf, importersOf }: Pick<CodeGraph, 'callersOf' | 'importersOf'>,
): Edges => {
  const own =
    node.type === 'file'
      ? importersOf(node.path).map((path): Caller => ({ key: path, path, certain: true }))
      : callersOf(node.key)
  const tests = own.filter(({ path }) => isTestFile(path)).map(toEdge)
  const tested = new Set(tests.map(({ key }) => key))
  const ofOwner = node.type === 'method' && node.parent !== null ? callersOf(node.parent) : []
  for (const { key, path } of ofOwner)
    if (isTestFile(path) && !tested.has(key)) tests.push({ key, certain: false })
  const callers = own.filter(({ path }) => !isTestFile(path)).map(toEdge)
  return { callers: callers.sort(byKey), tests: tests.sort(byKey) }
}
