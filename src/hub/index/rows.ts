/** The statements of the index, typed. Rows come from our own file of a checked format; `CodeIndex` uses them. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Caller, Link } from '../../nodes/edges.ts'
import { stemOf } from '../../nodes/modules.ts'
import type { CodeNode } from '../../nodes/node.ts'

/** What tells whether a file is still the one that was read. */
export interface Stamp {
  mtime_ms: number
  ctime_ms: number
  size: number
}

export interface FileRow extends Stamp {
  path: string
  /** When it was looked at. */
  seen_ms: number
  hash: string
  parsed: boolean
  good: boolean
  shape: string
  linked: boolean
  /** How many nodes it has. */
  nodes: number
}

type Row = Record<string, unknown>

const toFile = (row: Row): FileRow => ({
  path: String(row['path']),
  mtime_ms: Number(row['mtime_ms']),
  ctime_ms: Number(row['ctime_ms']),
  size: Number(row['size']),
  seen_ms: Number(row['seen_ms']),
  hash: String(row['hash']),
  parsed: row['parsed'] === 1,
  good: row['good'] === 1,
  shape: String(row['shape']),
  linked: row['linked'] === 1,
  nodes: Number(row['nodes']),
})

const toCaller = (row: Row): Caller => ({
  key: String(row['from_key']),
  path: String(row['from_path']),
  certain: row['certain'] === 1,
})

/** As they were written by `putNodes`. */
export const unpack = (packed: Uint8Array): CodeNode[] =>
  JSON.parse(zstdDecompressSync(packed).toString()) as CodeNode[]

export class Rows {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  #sql(text: string): StatementSync {
    const known = this.#prepared.get(text) ?? this.#database.prepare(text)
    this.#prepared.set(text, known)
    return known
  }

  /** All or nothing. */
  protected atomically<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (thrown) {
      this.#database.exec('ROLLBACK')
      throw thrown
    }
  }

  /** Changes whenever another connection has changed the file. */
  protected get dataVersion(): number {
    return Number(this.#sql('PRAGMA data_version').get()?.['data_version'] ?? 0)
  }

  fileRow(path: string): FileRow | undefined {
    const row = this.#sql('SELECT * FROM file WHERE path = ?').get(path)
    return row && toFile(row)
  }

  files(): FileRow[] {
    return this.#sql('SELECT * FROM file ORDER BY path').all().map(toFile)
  }

  protected outline(path: string): CodeNode[] {
    const packed = this.#sql('SELECT nodes FROM outline WHERE path = ?').get(path)?.['nodes']
    return packed instanceof Uint8Array ? unpack(packed) : []
  }

  protected putFile(file: FileRow): void {
    this.#sql('INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      file.path,
      file.mtime_ms,
      file.ctime_ms,
      file.size,
      file.seen_ms,
      file.hash,
      Number(file.parsed),
      Number(file.good),
      file.shape,
      Number(file.linked),
      file.nodes,
    )
  }

  protected putNodes(path: string, nodes: readonly CodeNode[]): void {
    this.#sql('INSERT OR REPLACE INTO outline VALUES (?, ?)').run(
      path,
      zstdCompressSync(JSON.stringify(nodes)),
    )
  }

  protected removeFile(path: string): void {
    for (const [table, column] of [
      ['file', 'path'],
      ['outline', 'path'],
      ['link', 'from_path'],
      ['need', 'path'],
    ])
      this.#sql(`DELETE FROM ${table} WHERE ${column} = ?`).run(path)
  }

  /** Files whose links depend on this one, or on one that could stand for it. */
  dependents(path: string): string[] {
    const rows = this.#sql('SELECT path FROM need WHERE stem = ?').all(stemOf(path))
    return rows.map((row) => String(row['path']))
  }

  /** The calls of all dependents have to be followed again. */
  protected unlinkDependents(path: string): void {
    const dependents = 'SELECT path FROM need WHERE stem = ?'
    this.#sql(`UPDATE file SET linked = 0 WHERE path IN (${dependents})`).run(stemOf(path))
  }

  protected unlinked(limit: number): string[] {
    const rows = this.#sql('SELECT path FROM file WHERE linked = 0 ORDER BY path LIMIT ?').all(limit)
    return rows.map((row) => String(row['path']))
  }

  protected putLinks(path: string, links: readonly Link[], stems: Iterable<string>): void {
    this.#sql('DELETE FROM link WHERE from_path = ?').run(path)
    this.#sql('DELETE FROM need WHERE path = ?').run(path)
    for (const { from, to, certain } of links)
      this.#sql('INSERT INTO link VALUES (?, ?, ?, ?)').run(path, from, to, Number(certain))
    for (const stem of stems) this.#sql('INSERT INTO need VALUES (?, ?)').run(stem, path)
    this.#sql('UPDATE file SET linked = 1 WHERE path = ?').run(path)
  }

  callersOf(key: string): Caller[] {
    return this.#sql('SELECT * FROM link WHERE to_key = ?').all(key).map(toCaller)
  }

  counts(): { files: number; nodes: number; unparsed: number } {
    const sql = 'SELECT count(*) AS files, total(nodes) AS nodes, total(parsed = 0) AS unparsed FROM file'
    const row = this.#sql(sql).get()
    const count = (name: string) => Number(row?.[name] ?? 0)
    return { files: count('files'), nodes: count('nodes'), unparsed: count('unparsed') }
  }

  close(): void {
    this.#database.close()
  }
}
