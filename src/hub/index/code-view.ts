/** An index with other files laid over it, as one project: nodes, links and states as they would be. */

import { type CodeGraph, edgesOf, linksOf, nodeOf } from '../../nodes/edges.ts'
import type { ModuleLayout } from '../../nodes/modules.ts'
import { type CodeProject, type FileNodes, fileNodes, type Mentions, mentionsIn } from '../../nodes/names.ts'
import type { ReadFile } from '../../nodes/read-file.ts'
import { nodePath } from '../../nodes/source-path.ts'
import type { NodeState } from '../hub.ts'
import { type CodeIndex, withPast } from './code-index.ts'
import type { Overlay } from './overlay.ts'

const EDGES_MAX = 500

export class CodeView implements CodeProject, CodeGraph {
  readonly #index: CodeIndex
  readonly #overlay: Overlay
  readonly #files = new Map<string, FileNodes | undefined>()
  readonly imported: Map<string, string | null>
  readonly callersOf: CodeGraph['callersOf']
  readonly importersOf: CodeGraph['importersOf']

  constructor(index: CodeIndex, overlay: Overlay = new Map()) {
    this.#index = index
    this.#overlay = overlay
    const isMoved = [...overlay].some(([path, over]) => index.has(path) === (over === null))
    this.imported = isMoved ? new Map() : index.imported
    const changed = new Set(overlay.keys())
    const links = changed.size === 0 ? index.links : linksOf(this, { links: index.links, changed, isMoved })
    this.callersOf = links.callersOf
    this.importersOf = links.importersOf
  }

  get layout(): ModuleLayout {
    return this.#index.layout
  }

  paths(): string[] {
    const added = [...this.#overlay].flatMap(([path, over]) => (over === null ? [] : path))
    return [...new Set([...this.#index.paths(), ...added])].filter((path) => this.has(path))
  }

  files(): string[] {
    return this.paths().sort()
  }

  has(path: string): boolean {
    const over = this.#overlay.get(path)
    return over === undefined ? this.#index.has(path) : over !== null
  }

  mentions(path: string): Mentions | undefined {
    if (!this.#overlay.has(path)) return this.#index.mentions(path)
    return mentionsIn([...(this.file(path)?.named.values() ?? [])])
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

  /** Undefined when there is no such node. `edges` is false while not all files are known. */
  state(key: string, edges: boolean): NodeState | undefined {
    const path = nodePath(key)
    const node = nodeOf(this, key)
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
