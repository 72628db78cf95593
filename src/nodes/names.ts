/** What a name written in a file stands for: a node of that file, or of one that it imports from. */

import { importedFile, type ModuleLayout } from './modules.ts'
import type { CodeNode, Import, ImportedName } from './node.ts'

/** A file's nodes by qualified name, the file itself being ''; and its methods by their own name. */
export interface FileNodes {
  readonly named: ReadonlyMap<string, CodeNode>
  readonly methods: ReadonlyMap<string, readonly CodeNode[]>
}

/** What a file says of others, to be searched without its nodes. */
export interface Mentions {
  /** The last part of each name that it calls, and the names that it imports. */
  readonly words: readonly string[]
  /** The modules that it imports, as they are written. */
  readonly modules: readonly string[]
}

/** The files of a project, wherever they are stored. */
export interface CodeProject {
  paths(): Iterable<string>
  has(path: string): boolean
  file(path: string): FileNodes | undefined
  mentions(path: string): Mentions | undefined
  readonly layout: ModuleLayout
  /** The file that a module names, by the importing path and the module, as far as it was asked for. */
  readonly imported: Map<string, string | null>
}

/** `certain` is false when the name was matched, but its meaning not followed all the way. */
export interface NamedTarget {
  node: CodeNode
  certain: boolean
}

export const fileNodes = (nodes: Iterable<CodeNode>): FileNodes => {
  const named = new Map<string, CodeNode>()
  const methods = new Map<string, CodeNode[]>()
  for (const node of nodes) {
    named.set(node.qualified_name, node)
    if (node.type !== 'method') continue
    const same = methods.get(node.name)
    if (same === undefined) methods.set(node.name, [node])
    else same.push(node)
  }
  return { named, methods }
}

/** The path of the file that a module names for an importing file; null where it is none of the project's. */
export const importedPath = (project: CodeProject, from: string, module: string): string | null => {
  const asked = `${from}\0${module}`
  const known = project.imported.get(asked)
  if (known !== undefined) return known
  const path = importedFile(from, module, project.layout, (one) => project.has(one))
  project.imported.set(asked, path)
  return path
}

const importedBy = (project: CodeProject, file: CodeNode, module: string): CodeNode | null =>
  project.file(importedPath(project, file.path, module) ?? '')?.named.get('') ?? null

/** A name that an import binds in its file, as its parts, and what it stands for in the module: nothing for the whole of it. */
interface Binding {
  readonly local: readonly string[]
  readonly path: readonly string[]
}

const isStar = ({ name, alias }: ImportedName): boolean => name === '*' && alias === null

const bindingsOf = ({ language }: CodeNode, { module, alias, names }: Import): Binding[] => [
  ...(alias === null ? [] : [{ local: [alias], path: [] }]),
  ...names
    .filter((one) => !isStar(one))
    .map(({ name, alias }) => ({ local: [alias ?? name], path: name === '*' ? [] : [name] })),
  ...(language === 'python' && alias === null && names.length === 0
    ? [{ local: module.split('.'), path: [] }]
    : []),
]

/** Importing `a.b.c` runs `a` and `a.b` too; a name that is imported may be a module. */
const modulesOf = ({ language }: CodeNode, { module, names }: Import): string[] => {
  if (language !== 'python') return [module]
  if (names.length > 0) {
    const members = names.filter(({ name }) => name !== '*')
    return [module, ...members.map(({ name }) => memberModule(module, name))]
  }
  return module.split('.').map((_, at, parts) => parts.slice(0, at + 1).join('.'))
}

const memberModule = (module: string, name: string): string =>
  module.endsWith('.') ? module + name : `${module}.${name}`

export const mentionsIn = (nodes: readonly CodeNode[]): Mentions => {
  const called = nodes.flatMap(({ callees }) =>
    callees.map((callee) => callee.slice(callee.lastIndexOf('.') + 1)),
  )
  const imports = nodes.flatMap((node) => node.imports)
  const words = [...called, ...imports.flatMap(({ names }) => names.map(({ name }) => name))]
  const modules = nodes.flatMap((node) => node.imports.flatMap((it) => modulesOf(node, it)))
  return { words: [...new Set(words)], modules: [...new Set(modules)] }
}

/** The names that a file passes one of its imports on under. */
export const aliasesIn = ({ imports, language }: CodeNode, name: string): string[] =>
  imports
    .filter(({ reexport }) => reexport || language === 'python')
    .flatMap(({ names }) => names.flatMap((one) => (one.name === name ? (one.alias ?? []) : [])))

/** What stands behind a binding, and behind more names after it. */
const behind = (
  project: CodeProject,
  file: CodeNode,
  { module }: Import,
  { local, path }: Binding,
  rest: readonly string[],
  seen: Set<string>,
): NamedTarget | null => {
  const target = importedBy(project, file, module)
  const within = (from: CodeNode | null, names: readonly string[]) =>
    from && exportedNode(project, from, names.join('.'), seen)
  const [name] = path
  const direct = within(target, [...path, ...rest])
  if (direct !== null || name === undefined) return direct
  // `from package import module`: the name is a file and no definition.
  if (file.language === 'python') return within(importedBy(project, file, memberModule(module, name)), rest)
  // `import shop from '../hub/shop'` where that file's default export has a name of its own: taken if it is the same.
  const named = name === 'default' ? within(target, [...local, ...rest]) : null
  return named && { ...named, certain: false }
}

/**
 * What a dotted name stands for through the imports of a file, or of those that it passes on; undefined when none of
 * them binds its first part.
 */
const imported = (
  project: CodeProject,
  file: CodeNode,
  parts: readonly string[],
  seen = new Set<string>(),
): NamedTarget | null | undefined => {
  const isExport = seen.size > 0
  const imports = file.imports.filter(({ reexport }) =>
    isExport ? reexport || file.language === 'python' : !reexport,
  )
  let isBound = false
  for (const it of imports)
    for (const binding of bindingsOf(file, it)) {
      const { length } = binding.local
      if (!binding.local.every((part, at) => part === parts[at])) continue
      isBound = true
      const found = behind(project, file, it, binding, parts.slice(length), seen)
      if (found) return found
    }
  for (const { module } of imports.filter(({ names }) => names.some(isStar))) {
    const target = importedBy(project, file, module)
    const found = target && exportedNode(project, target, parts.join('.'), seen)
    if (found) return { ...found, certain: isExport && found.certain }
  }
  return isBound ? null : undefined
}

/** What importers of a file get under a dotted name; the file itself under none. */
const exportedNode = (
  project: CodeProject,
  file: CodeNode,
  name: string,
  seen: Set<string>,
): NamedTarget | null => {
  const own = project.file(file.path)?.named.get(name)
  if (own !== undefined) return { node: own, certain: true }
  const asked = `${file.path}\0${name}`
  if (seen.has(asked)) return null
  seen.add(asked)
  return imported(project, file, name.split('.'), seen) ?? null
}

/** The node itself and the classes and functions around it, innermost first. */
const scopesAround = (nodes: FileNodes['named'], node: CodeNode): CodeNode[] => {
  const chain: CodeNode[] = []
  let at: CodeNode | undefined = node
  while (at !== undefined) {
    chain.push(at)
    at = at.parent === null ? undefined : nodes.get(at.parent.slice(at.path.length + 1))
  }
  return chain
}

/** The one method of that name in the file or in a file that it imports: likely, never certain. */
const memberByName = (project: CodeProject, file: CodeNode, name: string): NamedTarget | null => {
  const paths = new Set([file.path, ...file.imports.map((it) => importedPath(project, file.path, it.module))])
  const found = [...paths].flatMap((path) => project.file(path ?? '')?.methods.get(name) ?? [])
  return found.length === 1 && found[0] !== undefined ? { node: found[0], certain: false } : null
}

/** Whether a name is a parameter of the node or of one around it, and so stands for an unknown value. */
const isParam = (chain: readonly CodeNode[], name: string): boolean =>
  chain.some((one) => one.params.some((param) => param.name.split(/[^\w$]+/).includes(name)))

/** What a callee of `node` stands for, null when it is nothing in the project, or not known. */
export const calledNode = (project: CodeProject, node: CodeNode, callee: string): NamedTarget | null => {
  const nodes = project.file(node.path)?.named
  const file = nodes?.get('')
  if (nodes === undefined || file === undefined) return null
  const parts = callee.split('.')
  const [head = '', member] = parts
  const chain = scopesAround(nodes, node)
  if (head === 'self' || head === 'cls' || head === 'this') {
    const owner = chain.find((one) => one.type === 'class')
    const own =
      owner && member !== undefined && parts.length === 2
        ? nodes.get(`${owner.qualified_name}.${member}`)
        : undefined
    return own === undefined ? memberByName(project, file, parts.at(-1) ?? '') : { node: own, certain: true }
  }
  const unknown = () => (parts.length > 1 ? memberByName(project, file, parts.at(-1) ?? '') : null)
  if (isParam(chain, head)) return unknown()
  for (const scope of chain.filter((one) => one.type !== 'class')) {
    const local = nodes.get([scope.qualified_name, ...parts].filter((part) => part !== '').join('.'))
    if (local !== undefined) return { node: local, certain: true }
    const owner = scope.qualified_name === '' ? nodes.get(head) : nodes.get(`${scope.qualified_name}.${head}`)
    if (owner !== undefined && head !== '') return parts.length === 1 ? { node: owner, certain: true } : null
  }
  const found = imported(project, file, parts)
  return found === undefined ? unknown() : found
}
