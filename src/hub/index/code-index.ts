/** The index of a project's code: what is known of each file, and its nodes. */

import { type Links, linksOf } from '../../nodes/edges.ts'
import { type ModuleLayout, noLayout } from '../../nodes/modules.ts'
import { type CodeProject, type FileNodes, fileNodes, type Mentions, mentionsIn } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { FileRow, ReadFile } from '../../nodes/read-file.ts'

/** What was last seen of a file. Its nodes are JSON until they are asked for. */
export interface KnownFile {
  row: FileRow
  mentions: Mentions
  nodes: FileNodes | string
}

export class CodeIndex implements CodeProject {
  readonly #files: Map<string, KnownFile>
  readonly imported = new Map<string, string | null>()
  #layout = noLayout
  #layoutDigest = ''
  #links: Links | undefined
  /** How often what is stored has changed. */
  changes = 0

  /** As it was stored; empty unless it was. */
  constructor(files: Iterable<KnownFile> = []) {
    this.#files = new Map([...files].map((file) => [file.row.path, file]))
  }

  /** All that is to be stored. */
  stored(): Iterable<KnownFile> {
    return this.#files.values()
  }

  get layout(): ModuleLayout {
    return this.#layout
  }

  /** How modules are named from now on; the same digest stands for the same layout. */
  setLayout(layout: ModuleLayout, digest: string): void {
    if (digest === this.#layoutDigest) return
    this.#layout = layout
    this.#layoutDigest = digest
    this.#moved()
  }

  /** Who calls and imports what, until something changes. */
  get links(): Links {
    this.#links ??= linksOf(this)
    return this.#links
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

  mentions(path: string): Mentions | undefined {
    return this.#files.get(path)?.mentions
  }

  file(path: string): FileNodes | undefined {
    const known = this.#files.get(path)
    if (typeof known?.nodes === 'string') known.nodes = fileNodes(JSON.parse(known.nodes))
    return known?.nodes
  }

  /** Takes files in and drops vanished ones. */
  apply({ read, removed }: { read: readonly ReadFile[]; removed: readonly string[] }): void {
    for (const path of removed) if (this.#files.delete(path)) this.#moved()
    for (const file of read) this.#put(file)
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
    const row = { path, ...stamp, seen_ms, hash, parsed: parsed.parsed, good: parsed.parsed }
    this.#files.set(path, { row, mentions: mentionsIn(nodes), nodes: fileNodes(nodes) })
    this.#links = undefined
    if (!known) this.#moved()
  }

  /** Files are others, or modules are named otherwise: what each import means has to be found again. */
  #moved(): void {
    this.changes++
    this.imported.clear()
    this.#links = undefined
  }
}

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
