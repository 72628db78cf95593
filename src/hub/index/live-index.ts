/** The index of a project in this process: read with the first question, kept fresh while it is asked. */

import { setTimeout as wait } from 'node:timers/promises'
import type { CodeIndex } from './code-index.ts'
import { lookAtAll } from './look.ts'
import type { HubPlace } from './place.ts'
import { readStoredIndex, storeIndex } from './stored.ts'

/** All files are looked at again after this time, and not for more than a twentieth of the time. */
const LOOK_AGAIN_MS_MIN = 2_000
const LOOK_PAUSES = 20

export interface AskOptions {
  /** How long to wait for a look at all files. */
  readonly wait_ms: number
  readonly signal?: AbortSignal | undefined
  /** Looks at all files in any case, however lately that was done. */
  readonly now?: boolean
}

export class LiveIndex {
  readonly #findPlace: () => Promise<HubPlace>
  #place: Promise<HubPlace> | undefined
  readonly #stop = new AbortController()
  #index: CodeIndex | undefined
  #storedChanges = 0
  #looking: Promise<void> | undefined
  #lookAgain_ms = 0
  #isComplete = false

  constructor(findPlace: () => Promise<HubPlace>) {
    this.#findPlace = findPlace
  }

  get place(): Promise<HubPlace> {
    this.#place ??= this.#findPlace()
    return this.#place
  }

  /** Whether all files were looked at once. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Asks the index once it is fresh (`isComplete` says whether it is, after `wait_ms`). */
  async ask<T>(
    { wait_ms, signal, now = false }: AskOptions,
    work: (index: CodeIndex) => Promise<T>,
  ): Promise<T> {
    const { index: file } = await this.place
    this.#stop.signal.throwIfAborted()
    this.#index ??= readStoredIndex(file)
    if (this.#looking === undefined && (now || Date.now() >= this.#lookAgain_ms)) {
      this.#looking = this.#lookAtAll(this.#index).finally(() => {
        this.#looking = undefined
      })
      this.#looking.catch(() => {})
    }
    if (this.#looking !== undefined) {
      const waiting = new AbortController()
      const ends = AbortSignal.any([waiting.signal, ...(signal ? [signal] : [])])
      const late = wait(Math.min(wait_ms, 2 ** 31 - 1), undefined, { signal: ends }).catch(() => {})
      await Promise.race([this.#looking, late]).finally(() => waiting.abort())
    }
    signal?.throwIfAborted()
    return work(this.#index)
  }

  async #lookAtAll(index: CodeIndex): Promise<void> {
    const began = Date.now()
    const place = await this.place
    await lookAtAll(place, index, this.#stop.signal)
    // What took its time is not to be done again by the next process, however this one ends.
    if (!this.#isComplete) this.#store(place, index)
    this.#isComplete = true
    this.#lookAgain_ms = Date.now() + Math.max(LOOK_AGAIN_MS_MIN, (Date.now() - began) * LOOK_PAUSES)
  }

  #store(place: HubPlace, index: CodeIndex): void {
    if (index.changes === this.#storedChanges) return
    storeIndex(place.index, index)
    this.#storedChanges = index.changes
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking?.catch(() => {})
    if (this.#index && this.#place) this.#store(await this.#place, this.#index)
  }
}
