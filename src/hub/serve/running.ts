/** A running hub: lock, index, watcher and socket together, from start to stop. */

import { rmSync, writeFileSync } from 'node:fs'
import { messageOf, TwotrackError } from '../../errors.ts'
import { HUB_RECONCILE_MS, HUB_RECONCILE_UNWATCHED_MS } from '../../limits.ts'
import { Keeper } from './keeper.ts'
import { takeLock } from './lock.ts'
import { type HubPlace, hubPlace } from './place.ts'
import type { HubStatus } from './protocol.ts'
import { listen } from './server.ts'
import { watchProject } from './watch.ts'

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
  const note = options.onNote ?? (() => {})
  const lock = takeLock(place.lock, LOCK_WAIT_MS)
  if (lock === undefined)
    throw new TwotrackError('locked', `A hub runs for ${place.root} already. See "twotrack hub status".`)
  const closers: (() => void | Promise<void>)[] = [() => lock.release()]
  const stopped = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const close of closers.toReversed()) await close()
      stopped.resolve()
    })()
    return stopping
  }

  try {
    const started_at = new Date().toISOString()
    const keeper = new Keeper(place)
    closers.push(() => keeper.close())
    let unwatched: string | undefined
    let scanning: Promise<void> | undefined

    /** One look at a time; a wish that comes during one is granted after it. */
    const scan = (source: 'cold_start' | 'file_change'): Promise<void> => {
      const before = scanning ?? Promise.resolve()
      const next = before
        .catch(() => {})
        .then(async () => {
          if (stopping !== undefined) return
          const report = await keeper.scan(source)
          note(`looked at ${report.files} files: ${report.parsed} new or changed, ${report.removed} gone`)
        })
      scanning = next
      return next
    }

    const watching = await watchProject(place, {
      onPaths: (paths) => keeper.update(paths),
      onFolders: () => scan('file_change'),
      onTrouble: (reason) => {
        unwatched = reason
        note(`not everything can be watched: ${reason}`)
      },
    })
    closers.push(() => watching.close())

    const status = (): HubStatus => {
      const { files, nodes, unparsed } = keeper.counts()
      const { scanned } = keeper
      const report = scanned?.report
      return {
        pid: process.pid,
        project: place.root,
        started_at,
        state: scanned === undefined ? 'indexing' : 'fresh',
        files,
        nodes,
        unparsed,
        pending: watching.pending,
        ...(unwatched === undefined ? {} : { unwatched }),
        ...(scanned === undefined
          ? {}
          : { reconciled_at: scanned.at, reconciled: (report?.parsed ?? 0) + (report?.removed ?? 0) }),
      }
    }

    const server = await listen(place.socket, async (request) => {
      if (request.op === 'pull') return keeper.pull(request)
      if (request.op === 'stop') setImmediate(() => void stop())
      return status()
    })
    closers.push(() => server.close())
    writeFileSync(place.info, `${JSON.stringify({ pid: process.pid, started_at, socket: place.socket })}\n`)
    closers.push(() => rmSync(place.info, { force: true }))

    const ready = scan('cold_start').catch(async (thrown: unknown) => {
      if (stopping !== undefined) return
      note(`stopped: ${messageOf(thrown)}`)
      await stop()
      throw thrown
    })
    ready.catch(() => {})

    let timer: NodeJS.Timeout
    const reconcileLater = () => {
      const every =
        options.reconcile_ms ?? (unwatched === undefined ? HUB_RECONCILE_MS : HUB_RECONCILE_UNWATCHED_MS)
      timer = setTimeout(() => {
        scan('file_change')
          .catch((thrown: unknown) => note(`a look at all files failed: ${messageOf(thrown)}`))
          .finally(reconcileLater)
      }, every)
    }
    reconcileLater()
    closers.push(() => clearTimeout(timer))
    return { place, ready, stopped: stopped.promise, status, stop }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}
