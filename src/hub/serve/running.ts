/** A running hub: lock, index, watcher and socket together, from start to stop. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { messageOf, TwotrackError } from '../../errors.ts'
import { holdFile } from '../../files/lock.ts'
import { HUB_RECONCILE_MS, HUB_RECONCILE_UNWATCHED_MS } from '../../limits.ts'
import { Keeper } from './keeper.ts'
import { type HubPlace, hubPlace } from './place.ts'
import type { HubStatus } from './protocol.ts'
import { listen } from './server.ts'
import { type Watching, watchProject } from './watch.ts'

export interface StartOptions {
  project: string
  folder?: string
  /** Told what happens, in words for a log. */
  onNote?: (note: string) => void
  /** How often all files are looked at. */
  reconcile_ms?: number
}

export interface RunningHub {
  readonly place: HubPlace
  /** All files were looked at once. Rejects when that can't be done: the hub is stopped then. */
  readonly ready: Promise<void>
  /** Resolves when the hub has stopped, for whatever reason. */
  readonly stopped: Promise<void>
  status(): HubStatus
  stop(): Promise<void>
}

const LOCK_WAIT_MS = 300

/** Throws `locked` when the project has a hub. What a killed one left behind is cleared away. */
export const startHub = async (options: StartOptions): Promise<RunningHub> => {
  const place = await hubPlace(options.project, options.folder)
  mkdirSync(place.folder, { recursive: true })
  const lock = holdFile(place.lock, LOCK_WAIT_MS)
  if (lock === undefined)
    throw new TwotrackError('locked', `A hub runs for ${place.root} already. See "twotrack hub status".`)
  const hub = new Running(place, options)
  hub.onStop(() => lock.release())
  try {
    await hub.begin()
    return hub
  } catch (thrown) {
    await hub.stop()
    throw thrown
  }
}

class Running implements RunningHub {
  readonly place: HubPlace
  readonly #options: StartOptions
  readonly #startedAt = new Date().toISOString()
  readonly #stopped = Promise.withResolvers<void>()
  readonly #closers: (() => void | Promise<void>)[] = []
  readonly #keeper: Keeper
  ready: Promise<void> = Promise.resolve()
  #stopping: Promise<void> | undefined
  #scanning: Promise<void> = Promise.resolve()
  #watching: Watching | undefined
  #unwatched: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(place: HubPlace, options: StartOptions) {
    this.place = place
    this.#options = options
    this.#keeper = new Keeper(place)
  }

  get stopped(): Promise<void> {
    return this.#stopped.promise
  }

  /** Done in reverse order at the end. */
  onStop(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  /** Watching begins before the first look at all files, so that no change falls between the two. */
  async begin(): Promise<void> {
    const { place } = this
    this.onStop(() => this.#keeper.close())
    const watching = await watchProject(place, {
      onPaths: (paths) => this.#keeper.update(paths),
      onFolders: () => this.#scan(),
      onTrouble: (reason) => {
        this.#unwatched = reason
        this.#note(`not everything can be watched: ${reason}`)
      },
    })
    this.#watching = watching
    this.onStop(() => watching.close())
    const server = await listen(place.socket, async (request) => {
      if (request.op === 'pull') return this.#keeper.pull(request)
      if (request.op === 'stop') setImmediate(() => void this.stop())
      return this.status()
    })
    this.onStop(() => server.close())
    const info = { pid: process.pid, started_at: this.#startedAt, socket: place.socket }
    writeFileSync(place.info, `${JSON.stringify(info)}\n`)
    this.onStop(() => rmSync(place.info, { force: true }))
    this.ready = this.#scan().catch(async (thrown: unknown) => {
      if (this.#stopping !== undefined) return
      this.#note(`stopped: ${messageOf(thrown)}`)
      await this.stop()
      throw thrown
    })
    this.ready.catch(() => {})
    this.#reconcileLater()
    this.onStop(() => clearTimeout(this.#timer))
  }

  status(): HubStatus {
    const { files, nodes, unparsed } = this.#keeper.counts()
    const { scanned } = this.#keeper
    return {
      pid: process.pid,
      project: this.place.root,
      started_at: this.#startedAt,
      state: scanned === undefined ? 'indexing' : 'fresh',
      files,
      nodes,
      unparsed,
      pending: this.#watching?.pending ?? 0,
      ...(this.#unwatched === undefined ? {} : { unwatched: this.#unwatched }),
      ...(scanned === undefined
        ? {}
        : { reconciled_at: scanned.at, reconciled: scanned.report.parsed + scanned.report.removed }),
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#close()
    return this.#stopping
  }

  async #close(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
    this.#stopped.resolve()
  }

  #note(text: string): void {
    this.#options.onNote?.(text)
  }

  /** One look at a time; a wish that comes during one is granted after it. */
  #scan(): Promise<void> {
    this.#scanning = this.#scanning
      .catch(() => {})
      .then(async () => {
        if (this.#stopping !== undefined) return
        const { files, parsed, removed } = await this.#keeper.scan()
        this.#note(`looked at ${files} files: ${parsed} new or changed, ${removed} gone`)
      })
    return this.#scanning
  }

  #reconcileLater(): void {
    const usual = this.#unwatched === undefined ? HUB_RECONCILE_MS : HUB_RECONCILE_UNWATCHED_MS
    this.#timer = setTimeout(() => {
      this.#scan()
        .catch((thrown: unknown) => {
          if (this.#stopping === undefined) this.#note(`a look at all files failed: ${messageOf(thrown)}`)
        })
        .finally(() => {
          if (this.#stopping === undefined) this.#reconcileLater()
        })
    }, this.#options.reconcile_ms ?? usual)
  }
}
