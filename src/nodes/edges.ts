/** Who uses a node and which tests are about it, across files. */

import { posix } from 'node:path'
import { aliasesIn, type CodeProject, calledNode, type FileNodes, importedPath } from './names.ts'
import type { CodeNode } from './node.ts'
import { nodePath } from './source-path.ts'

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

/** A caller, with the file it is in. */
interface Caller extends Edge {
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

/** The calls that leave the nodes of a file, by the key that they lead to. */
const callsIn = (project: CodeProject, path: string): Map<string, Caller[]> => {
  const calls = new Map<string, Caller[]>()
  for (const node of project.file(path)?.named.values() ?? [])
    for (const callee of node.callees) {
      const target = calledNode(project, node, callee)
      if (target === null || target.node.key === node.key) continue
      const { key } = target.node
      const others = calls.get(key)?.filter((call) => call.key !== node.key || !target.certain) ?? []
      if (others.some((call) => call.key === node.key)) continue
      calls.set(key, [...others, { key: node.key, path, certain: target.certain }])
    }
  return calls
}

const importsIn = (project: CodeProject, path: string): Set<string> => {
  const modules = project.mentions(path)?.modules ?? []
  const found = modules.flatMap((module) => importedPath(project, path, module) ?? [])
  return new Set(
    [...found, ...conftestsOf(path).filter((one) => project.has(one))].filter((one) => one !== path),
  )
}

/** A project of which all but some files are as in another, whose links are known. */
interface Base {
  readonly links: Links
  readonly changed: ReadonlySet<string>
  /** Whether files came or went, so that an import of any file may mean another one. */
  readonly isMoved: boolean
}

export interface Links extends Pick<CodeGraph, 'callersOf' | 'importersOf'> {
  /** Calls of a file by the key that they lead to. */
  callsOf(path: string): ReadonlyMap<string, readonly Caller[]>
  /** Files that mention a name, or another one that a file passes it on under. */
  filesFor(name: string): ReadonlySet<string>
}

/**
 * Who calls and imports what in a project as it is now. Nothing is followed before it is asked for: a caller of a node is
 * in a file that mentions its name.
 */
export const linksOf = (project: CodeProject, base?: Base): Links => {
  let mentioning: Map<string, string[]> | undefined
  let importers: Map<string, string[]> | undefined
  const paths = base ? [...base.changed].filter((path) => project.has(path)) : [...project.paths()]
  const filesWith = (name: string): readonly string[] => {
    mentioning ??= inverted(paths, (path) => project.mentions(path)?.words ?? [])
    return mentioning.get(name) ?? []
  }
  const importersOf = (path: string): string[] => {
    importers ??= inverted(base?.isMoved ? project.paths() : paths, (from) => importsIn(project, from))
    const kept = base && !base.isMoved ? base.links.importersOf(path) : []
    const own = importers.get(path) ?? []
    return [...kept.filter((from) => !base?.changed.has(from)), ...own].sort()
  }
  /** What a change can mean for: the files that import it, by way of others too. */
  let affected: Set<string> | undefined
  const isAffected = (path: string): boolean => {
    if (affected) return affected.has(path)
    affected = new Set(base?.changed)
    for (const one of affected)
      for (const from of [...importersOf(one), ...(base?.links.importersOf(one) ?? [])]) affected.add(from)
    return affected.has(path)
  }
  const callsOf = remembered((path: string) =>
    base && !isAffected(path) ? base.links.callsOf(path) : callsIn(project, path),
  )
  const filesFor = remembered((name: string) => {
    const files = new Set<string>()
    const names = new Set([name])
    for (const one of names) {
      for (const file of base?.links.filesFor(one) ?? []) files.add(file)
      for (const file of filesWith(one)) {
        files.add(file)
        const own = project.file(file)?.named.get('')
        for (const alias of own ? aliasesIn(own, one) : []) names.add(alias)
      }
    }
    return files
  })
  return {
    callsOf,
    filesFor,
    importersOf,
    callersOf(key) {
      const node = nodeOf(project, key)
      return node ? [...filesFor(node.name)].flatMap((file) => callsOf(file).get(key) ?? []) : []
    },
  }
}

const remembered = <T>(make: (name: string) => T): ((name: string) => T) => {
  const known = new Map<string, T>()
  return (name) => {
    const found = known.get(name) ?? make(name)
    known.set(name, found)
    return found
  }
}

/** By each of the things that files are found under: these files. */
const inverted = (
  paths: Iterable<string>,
  found: (path: string) => Iterable<string>,
): Map<string, string[]> => {
  const files = new Map<string, string[]>()
  for (const path of paths)
    for (const one of found(path)) {
      const known = files.get(one)
      if (known) known.push(path)
      else files.set(one, [path])
    }
  return files
}

/** By key: one that was shortened can't be taken apart. */
export const nodeOf = (project: Pick<CodeProject, 'file'>, key: string): CodeNode | undefined => {
  const path = nodePath(key)
  const named = project.file(path)?.named
  const direct = named?.get(key.slice(path.length + 1))
  return direct?.key === key ? direct : named?.values().find((node) => node.key === key)
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
