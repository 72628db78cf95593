/** The one that writes the index, so that it stays what the files say. */

import { existsSync } from 'node:fs'
import { setTimeout as wait, setImmediate as yieldOnce } from 'node:timers/promises'
import { HUB_BATCH_FILES, HUB_CHANGED_PATHS_MAX, HUB_SAVING_MS } from '../../limits.ts'
import { belonging, findFiles } from '../../nodes/find.ts'
import type { HubAnswer } from '../hub.ts'
import { answerFrom, pathsBehind, type Question } from '../index/answer.ts'
import { CodeIndex } from '../index/code-index.ts'
import { isUnchanged, type ReadFile, readSource, stampAt } from '../index/read-file.ts'
import type { HubPlace } from './place.ts'

interface Sorted {
  changed: string[]
  /** Now empty, and gone: both may be a moment in the middle of saving. */
  emptied: string[]
  gone: string[]
}

interface ScanReport {
  files: number
  /** Whose content was read, parsed anew, and purged. */
  read: number
  parsed: number
  removed: number
}

export class IndexWriter {
  readonly #place: Pick<HubPlace, 'root' | 'isOwn'>
  readonly index: CodeIndex
  readonly #stop = new AbortController()
  #turn: Promise<unknown> = Promise.resolve()
  /** Whether all files were looked at once. */
  isScanned = false

  constructor(place: Pick<HubPlace, 'root' | 'isOwn' | 'index' | 'info'>) {
    this.#place = place
    // A hub that was stopped removes its note; one that was killed leaves it.
    this.index = CodeIndex.openToWrite(place.index, existsSync(place.info))
  }

  /** One task at a time, in the order of asking. */
  #alone<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  /** Looks at all files: at the start, from time to time, and after a flood of changes. */
  async scan(): Promise<ScanReport> {
    const { root, isOwn } = this.#place
    const { signal } = this.#stop
    const began = Date.now()
    const { files: all, unreadable } = await findFiles(root, ['.'])
    signal.throwIfAborted()
    const files = all.filter(({ path }) => !isOwn(path))
    const known = new Map(this.index.files().map((file) => [file.path, file]))
    const found = new Set(files.map(({ path }) => path))
    const isBeyond = (path: string) =>
      unreadable.some((one) => path === one.path || path.startsWith(`${one.path}/`))
    // A file that was taken in while the folders were read is not gone because it was not met.
    const removed = [...known.values()]
      .filter(({ path, seen_ms }) => !found.has(path) && !isBeyond(path) && seen_ms < began)
      .map(({ path }) => path)
    if (removed.length > 0) await this.#alone(() => this.index.apply({ read: [], removed }))
    const changed = files.filter(({ path, stamp }) => {
      const row = known.get(path)
      return row === undefined || !isUnchanged(row, stamp)
    })
    const report = { files: files.length, read: 0, parsed: 0, removed: removed.length }
    for (let at = 0; at < changed.length && !signal.aborted; at += HUB_BATCH_FILES) {
      const paths = changed.slice(at, at + HUB_BATCH_FILES).map(({ path }) => path)
      const read = await this.#alone(() => this.#take(paths, []))
      report.read += read.length
      report.parsed += read.filter((file) => file.parsed !== undefined).length
      await yieldOnce()
    }
    await this.#link()
    this.isScanned ||= !signal.aborted
    return report
  }

  /** Reads what may have changed and takes it in; a file that vanished meanwhile is left for the next look. */
  async #take(paths: readonly string[], removed: readonly string[]): Promise<ReadFile[]> {
    const read: ReadFile[] = []
    for (const path of paths) {
      const file = await readSource(this.#place.root, path, this.index.fileRow(path)?.hash)
      if (file !== undefined) read.push(file)
    }
    if (read.length + removed.length > 0) this.index.apply({ read, removed })
    return read
  }

  /** Follows all calls that wait for it, a batch of files at a time. */
  async #link(): Promise<void> {
    while (!this.#stop.signal.aborted && (await this.#alone(() => this.index.link()))) await yieldOnce()
  }

  /** Takes in what became of some paths; many of them are looked at together with all others. */
  async update(paths: readonly string[]): Promise<void> {
    if (paths.length > HUB_CHANGED_PATHS_MAX) {
      await this.scan()
      return
    }
    const changed = await this.#alone(async () => {
      const first = await this.#sort(paths)
      const doubtful = [...first.emptied, ...first.gone]
      if (doubtful.length > 0) await wait(HUB_SAVING_MS)
      const again = await this.#sort(doubtful)
      const read = await this.#take([...first.changed, ...again.changed, ...again.emptied], again.gone)
      return read.length + again.gone.length
    })
    // Before the first look at all files is done, most links would have to be followed again.
    if (changed > 0 && this.isScanned) await this.#link()
  }

  async #sort(paths: readonly string[]): Promise<Sorted> {
    const { root, isOwn } = this.#place
    const belongs = belonging(root)
    const sorted: Sorted = { changed: [], emptied: [], gone: [] }
    for (const path of paths) {
      const known = this.index.fileRow(path)
      const stamp = !isOwn(path) && (await belongs(path)) ? await stampAt(root, path) : undefined
      if (stamp === undefined) {
        if (known !== undefined) sorted.gone.push(path)
      } else if (known !== undefined && known.bytes > 0 && stamp.bytes === 0) sorted.emptied.push(path)
      else if (known === undefined || !isUnchanged(known, stamp)) sorted.changed.push(path)
    }
    return sorted
  }

  /** The files that the answer rests on are looked at first, whatever the watcher has heard. */
  async pull(question: Question): Promise<HubAnswer> {
    await this.update(pathsBehind(this.index, question.nodes))
    const answer = await this.#alone(() => answerFrom(this.index, this.#place.root, question))
    return { ...answer, source: this.isScanned ? 'hub' : 'hub, still indexing' }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#alone(() => this.index.close())
  }
}
