import { dirname, join } from 'node:path/posix'
import ts from 'typescript-5'

/** The files of a source tree with their text, by path: `src/store/kv/row.ts`. */
export type Tree = ReadonlyMap<string, string>

/** Who imports whom: `[from, to]`. */
export type Import = readonly [string, string]

/** What a file imports or passes on, types too, as it is written. */
export const importsIn = (text: string): string[] =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)

/** The imports between files of the tree. */
export const importsWithin = (tree: Tree): Import[] =>
  [...tree].flatMap(([file, text]) =>
    importsIn(text)
      .filter((name) => name.startsWith('.'))
      .map((name): Import => [file, join(dirname(file), name)]),
  )

/** `src/store/kv/row.ts` is in `store`, `src/core/event/line.ts` in `core/event`; `src/limits.ts` is itself. */
export const partOf = (file: string): string => {
  const [, part = '', inner = ''] = file.split('/')
  return part === 'core' ? `core/${inner}` : part
}

/** For each part the folders it may import, or single files of them: `prompt/sanitize.ts`. */
export type Rules = Readonly<Record<string, readonly string[]>>

export const partsWithoutRule = (tree: Tree, rules: Rules): string[] =>
  [...new Set([...tree.keys()].map(partOf))].filter((part) => !Object.hasOwn(rules, part))

/** Imports that go where the rules do not let them. */
export const againstRules = (imports: readonly Import[], rules: Rules): Import[] =>
  imports.filter(
    ([from, to]) =>
      partOf(from) !== partOf(to) && !(rules[partOf(from)] ?? []).some((allowed) => isIn(to, allowed)),
  )

const isIn = (file: string, allowed: string): boolean =>
  file === `src/${allowed}` || file.startsWith(`src/${allowed}/`)

/** What implements a port: files `src/PORT/NAME.ts`, or folders `src/PORT/NAME` that hold all of it. */
export type Port = Readonly<{ folder: string; neighbours: readonly string[]; choosers?: readonly string[] }>

/** Which neighbour of the port a file belongs to. */
const neighbourOf = (file: string, { folder, neighbours }: Port): string | undefined =>
  neighbours.find((name) => file === `src/${folder}/${name}.ts` || file.startsWith(`src/${folder}/${name}/`))

/**
 * Imports by which one that implements a port knows another, or by which somebody else than the choosers knows any. A
 * port without choosers leaves the second open.
 */
export const againstPort = (imports: readonly Import[], port: Port): Import[] =>
  imports.filter(([from, to]) => {
    const known = neighbourOf(to, port)
    const own = neighbourOf(from, port)
    if (known === undefined || known === own) return false
    return own !== undefined || (port.choosers?.every((chooser) => !isIn(from, chooser)) ?? false)
  })

/** Groups of files that import each other in a circle, each in the order of the alphabet. */
export function cyclesIn(imports: readonly Import[]): string[][] {
  const next = Map.groupBy(imports, ([from]) => from)
  const visited = new Set<string>()
  const path: string[] = []
  const cycles: string[][] = []
  const visit = (file: string) => {
    const at = path.indexOf(file)
    if (at !== -1) cycles.push(path.slice(at).sort())
    if (visited.has(file)) return
    visited.add(file)
    path.push(file)
    for (const [, to] of next.get(file) ?? []) visit(to)
    path.pop()
  }
  for (const file of next.keys()) visit(file)
  return cycles
}

/** Files that no entry leads to. */
export function unreached(tree: Tree, imports: readonly Import[], entries: readonly string[]): string[] {
  const next = Map.groupBy(imports, ([from]) => from)
  const reached = new Set(entries)
  for (const file of reached) for (const [, to] of next.get(file) ?? []) reached.add(to)
  return [...tree.keys()].filter((file) => !reached.has(file))
}

/** Imports of files that are not there. */
export const leadNowhere = (tree: Tree, imports: readonly Import[]): Import[] =>
  // A file of data that is not there the compiler refuses.
  imports.filter(([, to]) => to.startsWith('src/') && !to.endsWith('.json') && !tree.has(to))
