/** The index of a project's code: what is known of each file, its nodes, and the calls between them. */

import { HUB_BATCH_FILES, HUB_FILES_IN_MEMORY } from '../../limits.ts'
import { linksOf } from '../../nodes/edges.ts'
import type { ImportedFile } from '../../nodes/modules.ts'
import { type FileNodes, fileNodes, type Project } from '../../nodes/names.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { shapeOf, withPast } from './compare.ts'
import type { ReadFile } from './read-file.ts'
import { Rows } from './rows.ts'
import { openToRead, openToWrite } from './tables.ts'

export interface Changes {
  read: readonly ReadFile[]
  removed: readonly string[]
}

/** One process writes; a reader sees whole batches only. Every method leaves the file consistent, also when killed. */
export class CodeIndex extends Rows implements Project {
  readonly #files = new Map<string, FileNodes>()
  #paths: Set<string> | undefined
  #dataVersion = 0
  readonly imported = new Map<string, ImportedFile>()

  /** `check` looks for damage first; to be asked for after a crash. */
  static openToWrite(file: string, check = false): CodeIndex {
    return new CodeIndex(openToWrite(file, check))
  }

  /** Undefined when there is no index yet. */
  static openToRead(file: string): CodeIndex | undefined {
    const connection = openToRead(file)
    return connection && new CodeIndex(connection)
  }

  /** For a reader: forgets what the writer has changed since. */
  refresh(): void {
    const version = this.dataVersion
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
    this.#paths ??= new Set(this.paths())
    return this.#paths.has(path)
  }

  file(path: string): FileNodes | undefined {
    if (!this.has(path)) return undefined
    const known = this.#files.get(path)
    if (known !== undefined) return known
    return this.#keep(path, this.outline(path))
  }

  #keep(path: string, nodes: readonly CodeNode[]): FileNodes {
    const file = fileNodes(nodes)
    if (this.#files.size >= HUB_FILES_IN_MEMORY) this.#files.clear()
    this.#files.set(path, file)
    return file
  }

  /** Takes files in and purges vanished ones; links are followed by `link`. */
  apply({ read, removed }: Changes): void {
    try {
      this.atomically(() => {
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
    const paths = this.unlinked(files)
    if (paths.length === 0) return false
    this.atomically(() => {
      for (const path of paths) {
        const { links, stems } = linksOf(this, path)
        this.putLinks(path, links, stems)
      }
    })
    return true
  }

  #put({ path, stamp, seen_ms, hash, parsed }: ReadFile): void {
    const known = this.fileRow(path)
    if (parsed === undefined) {
      // The content is the known one; only the stamp is new.
      if (known !== undefined) this.putFile({ ...known, ...stamp, seen_ms })
      return
    }
    const row = { path, ...stamp, seen_ms, hash, parsed: parsed.parsed }
    // What can't be parsed leaves the last good state standing.
    if (!parsed.parsed && known?.good === true) {
      this.putFile({ ...known, ...row })
      return
    }
    const nodes = withPast(this.file(path)?.named, parsed.nodes)
    const shape = shapeOf(nodes)
    this.putFile({ ...row, good: parsed.parsed, shape, nodes: nodes.length })
    this.putNodes(path, nodes)
    this.#keep(path, nodes)
    if (known === undefined) this.#cameOrWent(path, true)
    if (known?.shape !== shape) this.unlinkDependents(path)
  }

  #remove(path: string): void {
    if (!this.has(path)) return
    this.removeFile(path)
    this.#files.delete(path)
    this.#cameOrWent(path, false)
    this.unlinkDependents(path)
  }

  #cameOrWent(path: string, came: boolean): void {
    this.imported.clear()
    if (came) this.#paths?.add(path)
    else this.#paths?.delete(path)
  }
}
