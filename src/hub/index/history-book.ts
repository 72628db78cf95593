/** What a new look at the code can't tell: how often a node changed, when, and whether its docstring kept up. */

import type { CodeNode } from '../../nodes/node.ts'
import { latest, type UpdateSource } from '../hub.ts'
import type { FileRow, Rows } from './rows.ts'

/** Whether the docstring is behind: the signature changed after it did. */
export const isOutdated = (before: CodeNode, after: CodeNode, wasOutdated: boolean): boolean => {
  if (after.docstring_hash === null || after.docstring_hash !== before.docstring_hash) return false
  return wasOutdated || after.signature !== before.signature
}

/** Writes the history of one batch of changes: a node counts once in it, whatever happens to it. */
export class HistoryBook {
  readonly #rows: Rows
  readonly #source: UpdateSource
  readonly #written = new Set<string>()

  constructor(rows: Rows, source: UpdateSource) {
    this.#rows = rows
    this.#source = source
  }

  /** A file's own time when it is met at a start; under watch, when the change was seen. */
  timeOf({ mtime_ms, seen_ms }: Pick<FileRow, 'mtime_ms' | 'seen_ms'>): string {
    return new Date(this.#source === 'cold_start' ? mtime_ms : seen_ms).toISOString()
  }

  /** The nodes of one file before and after; `anew` when all of them changed their standing. */
  compare(before: readonly CodeNode[], after: readonly CodeNode[], at: string, anew: boolean): void {
    const known = new Map(before.map((node) => [node.key, node]))
    for (const node of after) {
      const old = known.get(node.key)
      known.delete(node.key)
      if (old === undefined) this.#begin(node.key, at)
      else if (anew || (old !== node && JSON.stringify(old) !== JSON.stringify(node)))
        this.#change(node.key, at, (outdated) => isOutdated(old, node, outdated))
    }
    for (const key of known.keys()) this.#rows.removeHistory(key)
  }

  /** A node's callers changed. False when that is nothing new: it is not known, or was written in this batch. */
  touch(key: string, at: string): boolean {
    return !this.#written.has(key) && this.#change(key, at, (outdated) => outdated)
  }

  #begin(key: string, updated_at: string): void {
    this.#written.add(key)
    this.#rows.putHistory(key, {
      version: 1,
      update_source: this.#source,
      updated_at,
      docstring_outdated: false,
    })
  }

  #change(key: string, at: string, outdated: (before: boolean) => boolean): boolean {
    const history = this.#rows.history(key)
    if (history === undefined) return false
    const version = history.version + (this.#written.has(key) ? 0 : 1)
    this.#written.add(key)
    const docstring_outdated = outdated(history.docstring_outdated)
    const updated_at = latest([at, history.updated_at])
    this.#rows.putHistory(key, { version, update_source: this.#source, updated_at, docstring_outdated })
    return true
  }
}
