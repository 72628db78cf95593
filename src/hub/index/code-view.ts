/** An index with other files laid over it, as one project: nodes, links and states as they would be. */

import { type Caller, type CodeGraph, edgesFrom, edgesOf } from '../../nodes/edges.ts'
import type { ImportedFile, ModuleLayout } from '../../nodes/modules.ts'
import { type CodeProject, type FileNodes, fileNodes } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { ReadFile } from '../../nodes/read-file.ts'
import { nodePath } from '../../nodes/source-path.ts'
import type { NodeState } from '../hub.ts'
import { type CodeIndex, exportShape, withPast } from './code-index.ts'
import type { Overlay } from './overlay.ts'

/** Files whose calls are followed again because one that they depend on is overlaid. */
const RELINKED_FILES_MAX = 200
const EDGES_MAX = 500

/** Where an overlaid file, or one that depends on it, leads. */
interface Relinked {
  calls: (Caller & { to: string })[]
  imports: ReadonlySet<string>
}

export class CodeView implements CodeProject, CodeGraph {
  readonly #index: CodeIndex
  readonly #overlay: Overlay
  readonly #files = new Map<string, FileNodes | undefined>()
  readonly imported: Map<string, ImportedFile>
  #relinked: Map<string, Relinked> | undefined

  constructor(index: CodeIndex, overlay: Overlay = new Map()) {
    this.#index = index
    this.#overlay = overlay
    this.imported = overlay.size === 0 ? index.imported : new Map()
  }

  get layout(): ModuleLayout {
    return this.#index.layout
  }

  files(): string[] {
    const added = [...this.#overlay].flatMap(([path, over]) => (over === null ? [] : path))
    return [...new Set([...this.#index.paths(), ...added])].filter((path) => this.has(path)).sort()
  }

  has(path: string): boolean {
    const over = this.#overlay.get(path)
    return over === undefined ? this.#index.has(path) : over !== null
  }

  file(path: string): FileNodes | undefined {
    const over = this.#overlay.get(path)
    if (over === undefined) return this.#index.file(path)
    if (!this.#files.has(path)) this.#files.set(path, this.#overlaid(path, over))
    return this.#files.get(path)
  }

  #overlaid(path: string, over: ReadFile | null): FileNodes | undefined {
    if (over?.parsed === undefined) return undefined
    const known = this.#index.file(path)
    // As in the index itself: what can't be parsed leaves the last good state standing.
    if (!over.parsed.parsed && this.#index.fileRow(path)?.good === true) return known
    return fileNodes(withPast(known?.named, over.parsed.nodes))
  }

  callersOf = (key: string): Caller[] => {
    const relinked = this.#relink()
    const known = this.#index.callersOf(key).filter(({ path }) => !relinked.has(path))
    const added = [...relinked.values()].flatMap(({ calls }) => calls.filter(({ to }) => to === key))
    return [...known, ...added.map(({ key: from, path, certain }) => ({ key: from, path, certain }))]
  }

  importersOf = (path: string): string[] => {
    const relinked = this.#relink()
    const known = this.#index.importersOf(path).filter((from) => !relinked.has(from))
    const added = [...relinked].flatMap(([from, { imports }]) => (imports.has(path) ? from : []))
    return [...known, ...added].sort()
  }

  #relink(): Map<string, Relinked> {
    if (this.#relinked !== undefined) return this.#relinked
    const paths = new Set(this.#overlay.keys())
    for (const path of this.#overlay.keys()) {
      const nodes = this.file(path)?.named.values()
      const shape = nodes && exportShape(nodes)
      if (shape === this.#index.fileRow(path)?.shape) continue
      for (const dependent of this.#index.dependents(path))
        if (paths.size < RELINKED_FILES_MAX) paths.add(dependent)
    }
    this.#relinked = new Map()
    for (const path of paths) {
      const { links, imports } = edgesFrom(this, path)
      const calls = links.map(({ from, to, certain }) => ({ key: from, path, certain, to }))
      this.#relinked.set(path, { calls, imports })
    }
    return this.#relinked
  }

  /** By key: a key that was shortened can't be taken apart. */
  #node(key: string, path: string): CodeNode | undefined {
    const named = this.file(path)?.named
    const direct = named?.get(key === path ? '' : key.slice(path.length + 1))
    return direct?.key === key ? direct : named?.values().find((node) => node.key === key)
  }

  /** Undefined when there is no such node. `edges` is false while not all files are known. */
  state(key: string, edges: boolean): NodeState | undefined {
    const path = nodePath(key)
    const node = this.#node(key, path)
    if (node === undefined) return undefined
    const over = this.#overlay.get(path)
    const row = this.#index.fileRow(path)
    const { callers, tests } = edges ? edgesOf(node, this) : { callers: null, tests: null }
    return {
      key,
      path,
      type: node.type,
      signature: node.signature,
      docstring: node.docstring,
      docstring_outdated: node.docstring_outdated === true,
      callees: node.callees,
      callers: callers?.slice(0, EDGES_MAX) ?? null,
      tests: tests?.slice(0, EDGES_MAX) ?? null,
      start_line: node.span.start_line,
      end_line: node.span.end_line,
      source_hash: node.source_hash,
      file_hash: over?.hash ?? row?.hash ?? '',
      stale: over ? over.parsed?.parsed !== true : row?.parsed !== true,
      updated_at: new Date(over?.stamp.mtime_ms ?? row?.mtime_ms ?? 0).toISOString(),
    }
  }
}
