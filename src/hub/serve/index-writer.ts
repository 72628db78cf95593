/** The one that writes the index, so that it stays what the files say. */

import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { HUB_CHANGED_PATHS_MAX, HUB_SAVING_MS } from '../../limits.ts'
import { belonging } from '../../nodes/belongs.ts'
import type { HubAnswer } from '../hub.ts'
import { answerFrom, pathsBehind, type Question } from '../index/answer.ts'
import { CodeIndex } from '../index/code-index.ts'
import { isUnchanged, stampAt } from '../index/read-file.ts'
import { linkAll, readAll, type ScanReport, scan } from '../index/scan.ts'
import type { HubPlace } from './place.ts'

interface Sorted {
  changed: string[]
  /** Now empty, and gone: both may be a moment in the middle of saving. */
  emptied: string[]
  gone: string[]
}

export class IndexWriter {
  readonly #place: HubPlace
  readonly #index: CodeIndex
  readonly #stop = new AbortController()
  #turn: Promise<unknown> = Promise.resolve()
  #isScanned = false

  constructor(place: HubPlace) {
    this.#place = place
    // A hub that was stopped removes its note; one that was killed leaves it.
    this.#index = CodeIndex.openToWrite(place.index, existsSync(place.info))
  }

  /** Whether all files were looked at once. */
  get isScanned(): boolean {
    return this.#isScanned
  }

  counts = (): ReturnType<CodeIndex['counts']> => this.#index.counts()

  /** One task at a time, in the order of asking. */
  readonly #alone = <T>(work: () => T | Promise<T>): Promise<T> => {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  /** Looks at all files. */
  async scan(): Promise<ScanReport> {
    const { root, isOwn } = this.#place
    const { signal } = this.#stop
    const report = await scan(this.#index, root, { isOwn, signal, alone: this.#alone })
    this.#isScanned ||= !signal.aborted
    return report
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
      const different = [...first.changed, ...again.changed, ...again.emptied]
      const read = await readAll(this.#index, this.#place.root, different)
      const removed = again.gone
      if (read.length + removed.length > 0) this.#index.apply({ read, removed })
      return read.length + removed.length
    })
    // Before the first look at all files is done, most links would have to be followed again.
    if (changed > 0 && this.#isScanned)
      await linkAll(this.#index, { alone: this.#alone, signal: this.#stop.signal })
  }

  async #sort(paths: readonly string[]): Promise<Sorted> {
    const { root, isOwn } = this.#place
    const belongs = belonging(root)
    const sorted: Sorted = { changed: [], emptied: [], gone: [] }
    for (const path of paths) {
      const known = this.#index.fileRow(path)
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
    await this.update(pathsBehind(this.#index, question.nodes))
    const answer = await this.#alone(() => answerFrom(this.#index, this.#place.root, question))
    return { ...answer, source: this.#isScanned ? 'hub' : 'hub, still indexing' }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#alone(() => this.#index.close())
  }
}
