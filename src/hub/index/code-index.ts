/** The index of a project's code: what is known of each file, its nodes, and the calls between them. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Connection, Row } from '../../files/sqlite.ts'
import { HUB_BATCH_FILES, HUB_FILES_IN_MEMORY } from '../../limits.ts'
import { type Caller, linksOf } from '../../nodes/edges.ts'
import { type ImportedFile, stemOf } from '../../nodes/modules.ts'
import { type FileNodes, fileNodes, type Project } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { sha256 } from '../../sha256.ts'
import type { FileRow, ReadFile } from './read-file.ts'
import { openToRead, openToWrite } from './tables.ts'

const toFile = (row: Row): FileRow => JSON.parse(String(row['seen']))
const toPath = (row: Row): string => String(row['path'])

/**
 * As they are stored.
 * @internal
 */
export const unpack = (packed: Uint8Array): CodeNode[] =>
  JSON.parse(zstdDecompressSync(packed).toString()) as CodeNode[]

/** One process writes; a reader sees whole batches only. Every method leaves the file consistent, also when killed. */
export class CodeIndex implements Project {
  readonly #connection: Connection
  readonly #files = new Map<string, FileNodes>()
  #paths: Set<string> | undefined
  #dataVersion = 0
  readonly imported = new Map<string, ImportedFile>()

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  /** `check` looks for damage first; to be asked for after a crash. */
  static openToWrite(file: string, check = false): CodeIndex {
    return new CodeIndex(openToWrite(file, check))
  }

  /** Undefined when there is no index yet. */
  static openToRead(file: string): CodeIndex | undefined {
    const connection = openToRead(file)
    return connection && new CodeIndex(connection)
  }

  close(): void {
    this.#connection.close()
  }

  /** For a reader: forgets what the writer has changed since. */
  refresh(): void {
    const version = Number(this.#connection.get('PRAGMA data_version')?.['data_version'] ?? 0)
    if (version === this.#dataVersion) return
    this.#dataVersion = version
    this.#forget()
  }

  #forget(): void {
    this.#files.clear()
    this.imported.clear()
    this.#paths = undefined
  }

  has(path: string): boolean {
    this.#paths ??= new Set(this.#connection.all('SELECT path FROM file').map(toPath))
    return this.#paths.has(path)
  }

  fileRow(path: string): FileRow | undefined {
    const row = this.#connection.get('SELECT * FROM file WHERE path = ?', path)
    return row && toFile(row)
  }

  files(): FileRow[] {
    return this.#connection.all('SELECT * FROM file ORDER BY path').map(toFile)
  }

  counts(): { files: number; nodes: number; unparsed: number } {
    const files = this.files()
    const nodes = files.reduce((sum, file) => sum + file.nodes, 0)
    return { files: files.length, nodes, unparsed: files.filter((file) => !file.parsed).length }
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
    if (this.#files.size >= HUB_FILES_IN_MEMORY) this.#files.clear()
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

  /** Files whose links depend on this one, or on one that could stand for it. */
  dependents(path: string): string[] {
    return this.#connection.all('SELECT path FROM need WHERE stem = ?', stemOf(path)).map(toPath)
  }

  /** Takes files in and purges vanished ones; links are followed by `link`. */
  apply({ read, removed }: { read: readonly ReadFile[]; removed: readonly string[] }): void {
    try {
      this.#connection.transaction(() => {
        for (const path of removed) this.#remove(path)
        for (const file of read) this.#put(file)
      })
    } catch (thrown) {
      this.#forget()
      throw thrown
    }
  }

  /** Follows the calls of some of the files that wait for it; false when none does any more. */
  link(files = HUB_BATCH_FILES): boolean {
    const db = this.#connection
    const waiting = 'SELECT path FROM file WHERE linked = 0 ORDER BY path LIMIT ?'
    const paths = db.all(waiting, files).map(toPath)
    if (paths.length === 0) return false
    db.transaction(() => {
      for (const path of paths) {
        const { links, stems } = linksOf(this, path)
        this.#unlink(path)
        for (const { from, to, certain } of links)
          db.run('INSERT INTO link VALUES (?, ?, ?, ?)', path, from, to, Number(certain))
        for (const stem of stems) db.run('INSERT INTO need VALUES (?, ?)', stem, path)
        db.run('UPDATE file SET linked = 1 WHERE path = ?', path)
      }
    })
    return true
  }

  #unlink(path: string): void {
    this.#connection.run('DELETE FROM link WHERE from_path = ?', path)
    this.#connection.run('DELETE FROM need WHERE path = ?', path)
  }

  #put({ path, stamp, seen_ms, hash, parsed }: ReadFile): void {
    const known = this.fileRow(path)
    if (parsed === undefined) {
      // The content is the known one; only the stamp is new.
      if (known !== undefined) this.#putFile({ ...known, ...stamp, seen_ms })
      return
    }
    const row = { path, ...stamp, seen_ms, hash, parsed: parsed.parsed }
    // What can't be parsed leaves the last good state standing.
    if (!parsed.parsed && known?.good === true) {
      this.#putFile({ ...known, ...row })
      return
    }
    const nodes = withPast(this.file(path)?.named, parsed.nodes)
    const shape = shapeOf(nodes)
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
export const shapeOf = (nodes: Iterable<CodeNode>): string =>
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
