/** The index of a project's code: what is known of each file, its nodes, and the calls and imports between them. */

import { type Caller, edgesFrom, type FileEdges } from '../../nodes/edges.ts'
import { type ImportedFile, type ModuleLayout, noLayout, stemOf } from '../../nodes/modules.ts'
import { type CodeProject, type FileNodes, fileNodes } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { FileRow, ReadFile } from '../../nodes/read-file.ts'
import { sha256 } from '../../sha256.ts'

/** Files that are linked before others get a turn. */
const LINK_FILES = 200

/** What was last seen of a file. Its nodes are JSON until they are asked for; its edges have yet to be followed where it has none. */
export interface KnownFile {
  row: FileRow
  nodes: FileNodes | string
  edges?: FileEdges | undefined
}

export class CodeIndex implements CodeProject {
  readonly #files: Map<string, KnownFile>
  /** By the key of a node or the path of a file: the files whose calls and imports may lead there. */
  readonly #from = new Map<string, Set<string>>()
  readonly imported = new Map<string, ImportedFile>()
  #layout = noLayout
  #layoutDigest: string
  /** How often it has changed. */
  changes = 0

  /** As it was stored; empty unless it was. */
  constructor(files: Iterable<KnownFile> = [], layoutDigest = '') {
    this.#files = new Map([...files].map((file) => [file.row.path, file]))
    this.#layoutDigest = layoutDigest
    for (const [path, { edges }] of this.#files) if (edges) this.#note(path, edges)
  }

  /** All that is to be stored. */
  stored(): { readonly files: Iterable<KnownFile>; readonly layoutDigest: string } {
    return { files: this.#files.values(), layoutDigest: this.#layoutDigest }
  }

  get layout(): ModuleLayout {
    return this.#layout
  }

  /** How modules are named from now on. With another digest than before, all calls and imports are followed again. */
  setLayout(layout: ModuleLayout, digest: string): void {
    this.#layout = layout
    this.imported.clear()
    if (digest === this.#layoutDigest) return
    this.#layoutDigest = digest
    for (const file of this.#files.values()) file.edges = undefined
    this.changes++
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  paths(): Iterable<string> {
    return this.#files.keys()
  }

  fileRow(path: string): FileRow | undefined {
    return this.#files.get(path)?.row
  }

  file(path: string): FileNodes | undefined {
    const known = this.#files.get(path)
    if (typeof known?.nodes === 'string') known.nodes = fileNodes(JSON.parse(known.nodes))
    return known?.nodes
  }

  callersOf(key: string): Caller[] {
    return this.#leading(key).flatMap(([path, { links }]) =>
      links.flatMap(({ from, to, certain }) => (to === key ? { key: from, path, certain } : [])),
    )
  }

  importersOf(path: string): string[] {
    return this.#leading(path).flatMap(([from, { imports }]) => (imports.has(path) ? from : []))
  }

  #leading(target: string): [string, FileEdges][] {
    return [...(this.#from.get(target) ?? [])].flatMap((path): [string, FileEdges][] => {
      const edges = this.#files.get(path)?.edges
      return edges ? [[path, edges]] : []
    })
  }

  /** Files whose edges depend on this one, or on one that could stand for it. */
  dependents(path: string): string[] {
    const stem = stemOf(path)
    return [...this.#files].flatMap(([from, { edges }]) => (edges?.stems.has(stem) ? from : []))
  }

  /** Takes files in and drops vanished ones; where they lead is followed by `link`. */
  apply({ read, removed }: { read: readonly ReadFile[]; removed: readonly string[] }): void {
    for (const path of removed) if (this.#files.delete(path)) this.#reshaped(path)
    for (const file of read) this.#put(file)
  }

  /** Follows the calls and imports of some of the files that wait for it; false when none does any more. */
  link(): boolean {
    let left = LINK_FILES
    for (const [path, file] of this.#files) {
      if (file.edges) continue
      file.edges = edgesFrom(this, path)
      this.#note(path, file.edges)
      this.changes++
      if (--left === 0) return true
    }
    return false
  }

  /** What no longer leads from there stays noted: who asks looks at the edges. */
  #note(path: string, { links, imports }: FileEdges): void {
    for (const target of [...links.map(({ to }) => to), ...imports]) {
      const from = this.#from.get(target)
      if (from) from.add(path)
      else this.#from.set(target, new Set([path]))
    }
  }

  #put({ path, stamp, seen_ms, hash, parsed }: ReadFile): void {
    const known = this.#files.get(path)
    // A later question has looked since.
    if (known && known.row.seen_ms > seen_ms) return
    this.changes++
    if (known && (parsed === undefined || (!parsed.parsed && known.row.good))) {
      // The content is the known one, and only the stamp is new; or it can't be parsed, and the last good state stands.
      const now = parsed ? { hash, parsed: false } : known.row.hash === hash ? {} : undefined
      if (now) known.row = { ...known.row, ...stamp, ...now, seen_ms }
      return
    }
    if (parsed === undefined) return
    const nodes = withPast(this.file(path)?.named, parsed.nodes)
    const shape = exportShape(nodes)
    const row = { path, ...stamp, seen_ms, hash, parsed: parsed.parsed, good: parsed.parsed, shape }
    this.#files.set(path, { row, nodes: fileNodes(nodes) })
    if (known?.row.shape !== shape) this.#reshaped(path)
  }

  /** The calls of all dependents have to be followed again. */
  #reshaped(path: string): void {
    this.imported.clear()
    this.changes++
    for (const dependent of this.dependents(path)) {
      const file = this.#files.get(dependent)
      if (file) file.edges = undefined
    }
  }
}

/**
 * A digest of all that other files' links can depend on: names, kinds, what is passed on. While it stays the same, an
 * edit touches the links of its own file only.
 */
export const exportShape = (nodes: Iterable<CodeNode>): string =>
  sha256(
    JSON.stringify(
      [...nodes].map(({ key, qualified_name, name, type, parent, imports }) => [
        key,
        qualified_name,
        name,
        type,
        parent,
        imports.map(({ module, alias, names, reexport }) => [module, alias, names, reexport]),
      ]),
    ),
  )

/** Whether the docstring is behind: the signature changed after it did. */
const isOutdated = (before: CodeNode, after: CodeNode): boolean =>
  after.docstring_hash !== null &&
  after.docstring_hash === before.docstring_hash &&
  (before.docstring_outdated === true || after.signature !== before.signature)

/** The nodes of a file as they are now, with what only a comparison with the earlier ones can show. */
export const withPast = (
  before: ReadonlyMap<string, CodeNode> | undefined,
  nodes: readonly CodeNode[],
): CodeNode[] =>
  nodes.map((node) => {
    const known = before?.get(node.qualified_name)
    return known !== undefined && isOutdated(known, node) ? { ...node, docstring_outdated: true } : node
  })
