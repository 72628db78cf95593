/** The index of a project's code: what is known of each file, its nodes, and the calls and imports between them. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Connection, Row } from '../../files/sqlite.ts'
import { type Caller, edgesFrom } from '../../nodes/edges.ts'
import { type ImportedFile, type ModuleLayout, noLayout, stemOf } from '../../nodes/modules.ts'
import { type FileNodes, fileNodes, type Project } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { FileRow, ReadFile } from '../../nodes/read-file.ts'
import { sha256 } from '../../sha256.ts'
import { openIndex } from './tables.ts'

/** Files that are linked in one transaction. */
const LINK_FILES = 200
/** Outlines that are held unpacked; then all are dropped, and read again as they are needed. */
const FILES_IN_MEMORY = 20_000

/** Far more than the nodes of any source file that is parsed take; a file that says more is damaged. */
const OUTLINE_BYTES_MAX = 256 * 1024 * 1024

const toFile = (row: Row): FileRow => JSON.parse(String(row['seen']))
const toPath = (row: Row): string => String(row['path'])

/**
 * As they are stored.
 * @internal
 */
export const unpack = (packed: Uint8Array): CodeNode[] =>
  JSON.parse(zstdDecompressSync(packed, { maxOutputLength: OUTLINE_BYTES_MAX }).toString()) as CodeNode[]

/**
 * Several processes may have the same index open: a change is one transaction that reads again what another one wrote.
 * Every method leaves the file consistent, also when the process is killed.
 */
export class CodeIndex implements Project {
  readonly #connection: Connection
  readonly #files = new Map<string, FileNodes>()
  #paths: Set<string> | undefined
  #dataVersion = 0
  #layout = noLayout
  readonly imported = new Map<string, ImportedFile>()

  /** Without a file the index lives as long as it is open; `anew` removes one that is damaged. */
  constructor(file: string, anew = false) {
    this.#connection = openIndex(file, anew)
  }

  close(): void {
    this.#connection.close()
  }

  /** Forgets what other processes have changed since. */
  refresh(): void {
    const version = Number(this.#connection.get('PRAGMA data_version')?.['data_version'] ?? 0)
    if (version === this.#dataVersion) return
    this.#dataVersion = version
    this.#forget()
  }

  #change<T>(work: () => T): T {
    try {
      return this.#connection.transaction(() => {
        this.refresh()
        return work()
      })
    } catch (thrown) {
      this.#forget()
      throw thrown
    }
  }

  #forget(): void {
    this.#files.clear()
    this.imported.clear()
    this.#paths = undefined
  }

  get layout(): ModuleLayout {
    return this.#layout
  }

  /** How modules are named from now on. With another digest than before, all calls and imports are followed again. */
  setLayout(layout: ModuleLayout, digest: string): void {
    this.#layout = layout
    this.imported.clear()
    const isKnown = () => this.#connection.get('SELECT digest FROM layout')?.['digest'] === digest
    if (isKnown()) return
    this.#change(() => {
      this.#connection.exec('DELETE FROM layout; UPDATE file SET linked = 0')
      this.#connection.run('INSERT INTO layout VALUES (?)', digest)
    })
  }

  has(path: string): boolean {
    return this.paths().has(path)
  }

  paths(): ReadonlySet<string> {
    this.#paths ??= new Set(this.#connection.all('SELECT path FROM file').map(toPath))
    return this.#paths
  }

  fileRow(path: string): FileRow | undefined {
    const row = this.#connection.get('SELECT * FROM file WHERE path = ?', path)
    return row && toFile(row)
  }

  files(): FileRow[] {
    return this.#connection.all('SELECT * FROM file ORDER BY path').map(toFile)
  }

  file(path: string): FileNodes | undefined {
    if (!this.has(path)) return undefined
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const packed = this.#connection.get('SELECT nodes FROM outline WHERE path = ?', path)?.['nodes']
    return this.#keep(path, packed instanceof Uint8Array ? unpack(packed) : [])
  }

  #keep(path: string, nodes: readonly CodeNode[]): FileNodes {
    const file = fileNodes(nodes)
    if (this.#files.size >= FILES_IN_MEMORY) this.#files.clear()
    this.#files.set(path, file)
    return file
  }

  callersOf(key: string): Caller[] {
    return this.#connection.all('SELECT * FROM link WHERE to_key = ?', key).map((row) => ({
      key: String(row['from_key']),
      path: String(row['from_path']),
      certain: row['certain'] === 1,
    }))
  }

  importersOf(path: string): string[] {
    return this.#connection
      .all('SELECT from_path FROM import WHERE to_path = ?', path)
      .map((row) => String(row['from_path']))
  }

  /** Files whose links depend on this one, or on one that could stand for it. */
  dependents(path: string): string[] {
    return this.#connection.all('SELECT path FROM need WHERE stem = ?', stemOf(path)).map(toPath)
  }

  /** Takes files in and purges vanished ones; where they lead is followed by `link`. */
  apply({ read, removed }: { read: readonly ReadFile[]; removed: readonly string[] }): void {
    this.#change(() => {
      for (const path of removed) this.#remove(path)
      for (const file of read) this.#put(file)
    })
  }

  /** Follows the calls and imports of some of the files that wait for it; false when none does any more. */
  link(files = LINK_FILES): boolean {
    const db = this.#connection
    return this.#change(() => {
      const paths = db.all('SELECT path FROM file WHERE linked = 0 ORDER BY path LIMIT ?', files).map(toPath)
      for (const path of paths) {
        const { links, imports, stems } = edgesFrom(this, path)
        this.#unlink(path)
        for (const { from, to, certain } of links)
          db.run('INSERT INTO link VALUES (?, ?, ?, ?)', path, from, to, Number(certain))
        for (const imported of imports) db.run('INSERT INTO import VALUES (?, ?)', path, imported)
        for (const stem of stems) db.run('INSERT INTO need VALUES (?, ?)', stem, path)
        db.run('UPDATE file SET linked = 1 WHERE path = ?', path)
      }
      return paths.length > 0
    })
  }

  #unlink(path: string): void {
    this.#connection.run('DELETE FROM link WHERE from_path = ?', path)
    this.#connection.run('DELETE FROM import WHERE from_path = ?', path)
    this.#connection.run('DELETE FROM need WHERE path = ?', path)
  }

  #put({ path, stamp, seen_ms, hash, parsed }: ReadFile): void {
    const known = this.fileRow(path)
    // Another process, or a later question, has looked since.
    if (known !== undefined && known.seen_ms > seen_ms) return
    if (parsed === undefined) {
      // The content is the known one; only the stamp is new.
      if (known?.hash === hash) this.#putFile({ ...known, ...stamp, seen_ms })
      return
    }
    const row = { path, ...stamp, seen_ms, hash, parsed: parsed.parsed }
    // What can't be parsed leaves the last good state standing.
    if (!parsed.parsed && known?.good === true) {
      this.#putFile({ ...known, ...row })
      return
    }
    const nodes = withPast(this.file(path)?.named, parsed.nodes)
    const shape = exportShape(nodes)
    this.#putFile({ ...row, good: parsed.parsed, shape, nodes: nodes.length })
    const packed = zstdCompressSync(JSON.stringify(nodes))
    this.#connection.run('INSERT OR REPLACE INTO outline VALUES (?, ?)', path, packed)
    this.#connection.run('UPDATE file SET linked = 0 WHERE path = ?', path)
    this.#keep(path, nodes)
    if (known === undefined) {
      this.imported.clear()
      this.#paths?.add(path)
    }
    if (known?.shape !== shape) this.#unlinkDependents(path)
  }

  /** A new file waits for its calls to be followed. */
  #putFile(file: FileRow): void {
    const put = 'INSERT INTO file VALUES (?, ?, 0) ON CONFLICT (path) DO UPDATE SET seen = excluded.seen'
    this.#connection.run(put, file.path, JSON.stringify(file))
  }

  #remove(path: string): void {
    if (!this.has(path)) return
    this.#connection.run('DELETE FROM file WHERE path = ?', path)
    this.#connection.run('DELETE FROM outline WHERE path = ?', path)
    this.#unlink(path)
    this.#files.delete(path)
    this.imported.clear()
    this.#paths?.delete(path)
    this.#unlinkDependents(path)
  }

  /** The calls of all dependents have to be followed again. */
  #unlinkDependents(path: string): void {
    const dependents = 'SELECT path FROM need WHERE stem = ?'
    this.#connection.run(`UPDATE file SET linked = 0 WHERE path IN (${dependents})`, stemOf(path))
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
