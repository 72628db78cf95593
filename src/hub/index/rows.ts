/** The statements of the index, typed. Rows come from our own file of a checked format; `CodeIndex` uses them. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Connection, Row } from '../../files/sqlite.ts'
import type { Stamp } from '../../files/stamp.ts'
import type { Caller, Link } from '../../nodes/edges.ts'
import { stemOf } from '../../nodes/modules.ts'
import type { CodeNode } from '../../nodes/node.ts'

export interface FileRow extends Stamp {
  path: string
  /** When it was looked at. */
  seen_ms: number
  hash: string
  /** Its content of now could be parsed. */
  parsed: boolean
  /** Its nodes are of a content that could. */
  good: boolean
  shape: string
  /** How many nodes it has. */
  nodes: number
}

const toFile = (row: Row): FileRow => JSON.parse(String(row['seen']))

const toCaller = (row: Row): Caller => ({
  key: String(row['from_key']),
  path: String(row['from_path']),
  certain: row['certain'] === 1,
})

/**
 * As they were written by `putNodes`.
 * @internal
 */
export const unpack = (packed: Uint8Array): CodeNode[] =>
  JSON.parse(zstdDecompressSync(packed).toString()) as CodeNode[]

export class Rows {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  protected atomically<T>(work: () => T): T {
    return this.#connection.transaction(work)
  }

  /** Changes whenever another connection has changed the file. */
  protected get dataVersion(): number {
    return Number(this.#connection.get('PRAGMA data_version')?.['data_version'] ?? 0)
  }

  fileRow(path: string): FileRow | undefined {
    const row = this.#connection.get('SELECT * FROM file WHERE path = ?', path)
    return row && toFile(row)
  }

  protected paths(): string[] {
    return this.#connection.all('SELECT path FROM file').map((row) => String(row['path']))
  }

  files(): FileRow[] {
    return this.#connection.all('SELECT * FROM file ORDER BY path').map(toFile)
  }

  protected outline(path: string): CodeNode[] {
    const packed = this.#connection.get('SELECT nodes FROM outline WHERE path = ?', path)?.['nodes']
    return packed instanceof Uint8Array ? unpack(packed) : []
  }

  /** A new file waits for its calls to be followed. */
  protected putFile(file: FileRow): void {
    const put = 'INSERT INTO file VALUES (?, ?, 0) ON CONFLICT (path) DO UPDATE SET seen = excluded.seen'
    this.#connection.run(put, file.path, JSON.stringify(file))
  }

  /** The calls of a file with other nodes have to be followed again. */
  protected putNodes(path: string, nodes: readonly CodeNode[]): void {
    const packed = zstdCompressSync(JSON.stringify(nodes))
    this.#connection.run('INSERT OR REPLACE INTO outline VALUES (?, ?)', path, packed)
    this.#connection.run('UPDATE file SET linked = 0 WHERE path = ?', path)
  }

  protected removeFile(path: string): void {
    for (const [table, column] of [
      ['file', 'path'],
      ['outline', 'path'],
      ['link', 'from_path'],
      ['need', 'path'],
    ])
      this.#connection.run(`DELETE FROM ${table} WHERE ${column} = ?`, path)
  }

  /** Files whose links depend on this one, or on one that could stand for it. */
  dependents(path: string): string[] {
    const rows = this.#connection.all('SELECT path FROM need WHERE stem = ?', stemOf(path))
    return rows.map((row) => String(row['path']))
  }

  /** The calls of all dependents have to be followed again. */
  protected unlinkDependents(path: string): void {
    const dependents = 'SELECT path FROM need WHERE stem = ?'
    this.#connection.run(`UPDATE file SET linked = 0 WHERE path IN (${dependents})`, stemOf(path))
  }

  protected unlinked(limit: number): string[] {
    const rows = this.#connection.all('SELECT path FROM file WHERE linked = 0 ORDER BY path LIMIT ?', limit)
    return rows.map((row) => String(row['path']))
  }

  protected putLinks(path: string, links: readonly Link[], stems: Iterable<string>): void {
    this.#connection.run('DELETE FROM link WHERE from_path = ?', path)
    this.#connection.run('DELETE FROM need WHERE path = ?', path)
    for (const { from, to, certain } of links)
      this.#connection.run('INSERT INTO link VALUES (?, ?, ?, ?)', path, from, to, Number(certain))
    for (const stem of stems) this.#connection.run('INSERT INTO need VALUES (?, ?)', stem, path)
    this.#connection.run('UPDATE file SET linked = 1 WHERE path = ?', path)
  }

  callersOf(key: string): Caller[] {
    return this.#connection.all('SELECT * FROM link WHERE to_key = ?', key).map(toCaller)
  }

  counts(): { files: number; nodes: number; unparsed: number } {
    const files = this.files()
    const nodes = files.reduce((sum, file) => sum + file.nodes, 0)
    return { files: files.length, nodes, unparsed: files.filter((file) => !file.parsed).length }
  }

  close(): void {
    this.#connection.close()
  }
}
