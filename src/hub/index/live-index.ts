/** The index of a project in this process: opened with the first question, kept fresh while it is asked. */

import { setTimeout as wait } from 'node:timers/promises'
import { TwotrackError } from '../../errors.ts'
import { CodeIndex } from './code-index.ts'
import { lookAtAll } from './look.ts'
import type { HubPlace } from './place.ts'

/** All files are looked at again after this time, and not for more than a twentieth of the time. */
const LOOK_AGAIN_MS_MIN = 2_000
const LOOK_PAUSES = 20

/** Reasons to do without an index file; anything else is no fault of it. */
const UNUSABLE = new Set(['damaged', 'io', 'locked', 'closed'])

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
  /** What to open next: the file, the file made anew, or an index that only this process has. */
  #next: 'file' | 'anew' | 'own' = 'file'
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
    for (;;) {
      const isComplete = await this.#look(wait_ms, signal, now)
      const answer = await this.#use(work)
      // An index that was replaced meanwhile is empty.
      if (!isComplete || this.#isComplete) return answer
    }
  }

  /** Looks at all files, unless that was done lately. False when they were never all looked at; it goes on meanwhile. */
  async #look(wait_ms: number, signal: AbortSignal | undefined, now: boolean): Promise<boolean> {
    if (this.#looking === undefined && (now || Date.now() >= this.#lookAgain_ms)) {
      this.#looking = this.#lookAtAll().finally(() => {
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
    return this.#isComplete
  }

  async #lookAtAll(): Promise<void> {
    const began = Date.now()
    const place = await this.place
    await this.#use((index) => lookAtAll(place, index, this.#stop.signal))
    this.#isComplete = true
    this.#lookAgain_ms = Date.now() + Math.max(LOOK_AGAIN_MS_MIN, (Date.now() - began) * LOOK_PAUSES)
  }

  /** An index that turns out damaged is made anew; one that can't be used at all is replaced by one in this process. */
  async #use<T>(work: (index: CodeIndex) => Promise<T>): Promise<T> {
    const stopped = this.#stop.signal
    const place = await this.place
    for (;;) {
      let index: CodeIndex | undefined
      try {
        stopped.throwIfAborted()
        const file = this.#next === 'own' ? '' : place.index
        this.#index ??= new CodeIndex(file, this.#next === 'anew')
        index = this.#index
        index.refresh()
        return await work(index)
      } catch (thrown) {
        const isUnusable = thrown instanceof TwotrackError && UNUSABLE.has(thrown.code)
        if (stopped.aborted || !isUnusable) throw thrown
        // Somebody else met the same and has replaced it.
        if (index !== this.#index) continue
        if (this.#next === 'own') throw thrown
        this.#next = thrown.code === 'damaged' && this.#next === 'file' ? 'anew' : 'own'
        this.#closeIndex()
        this.#isComplete = false
        this.#lookAgain_ms = 0
      }
    }
  }

  #closeIndex(): void {
    try {
      this.#index?.close()
    } catch {
      // What can't be closed can't be used either.
    }
    this.#index = undefined
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking?.catch(() => {})
    this.#closeIndex()
  }
}
