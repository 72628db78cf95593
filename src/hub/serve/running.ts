/** A running hub: lock, index, watcher and socket together, from start to stop. */

import { rmSync, writeFileSync } from 'node:fs'
import { messageOf, TwotrackError } from '../../errors.ts'
import { makeFolder, PRIVATE_FILE } from '../../files/disk.ts'
import { holdFile } from '../../files/lock.ts'
import { HUB_RECONCILE_MS, HUB_RECONCILE_UNWATCHED_MS } from '../../limits.ts'
import { IndexWriter } from './index-writer.ts'
import { type HubPlace, hubPlace } from './place.ts'
import { type HubStatus, listen } from './protocol.ts'
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
  makeFolder(place.folder)
  const lock = holdFile(place.lock, LOCK_WAIT_MS)
  if (lock === undefined)
    throw new TwotrackError('locked', `A hub runs for ${place.root} already. See "twotrack hub status".`)
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    return await begin(place, options, closing)
  } catch (thrown) {
    await closing.disposeAsync()
    throw thrown
  }
}

const begin = async (
  place: HubPlace,
  { onNote = () => {}, reconcile_ms }: StartOptions,
  closing: AsyncDisposableStack,
): Promise<RunningHub> => {
  const started_at = new Date().toISOString()
  const stopped = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  let scanning: Promise<void> = Promise.resolve()
  let unwatched: string | undefined
  let timer: NodeJS.Timeout | undefined

  const stop = (): Promise<void> => {
    stopping ??= closing.disposeAsync().then(stopped.resolve)
    return stopping
  }

  const writer = new IndexWriter(place)
  closing.defer(() => writer.close())

  /** One look at a time; a wish that comes during one is granted after it. */
  const scan = (): Promise<void> => {
    scanning = scanning
      .catch(() => {})
      .then(async () => {
        if (stopping !== undefined) return
        const { files, parsed, removed } = await writer.scan()
        onNote(`looked at ${files} files: ${parsed} new or changed, ${removed} gone`)
      })
    return scanning
  }

  // Watching begins before the first look at all files, so that no change falls between the two.
  const watching = await watchProject(place, {
    onPaths: (paths) => writer.update(paths),
    onFolders: scan,
    onTrouble: (reason) => {
      unwatched = reason
      onNote(`not everything can be watched: ${reason}`)
    },
  })
  closing.defer(() => watching.close())

  const status = (): HubStatus => ({
    pid: process.pid,
    project: place.root,
    started_at,
    state: writer.isScanned ? 'fresh' : 'indexing',
    ...writer.index.counts(),
    pending: watching.pending,
    ...(unwatched === undefined ? {} : { unwatched }),
  })

  const server = await listen(place.socket, async (request) => {
    if (request.op === 'pull') return writer.pull(request)
    if (request.op === 'stop') setImmediate(() => void stop())
    return status()
  })
  closing.defer(() => server.close())
  writeFileSync(place.info, `${JSON.stringify({ pid: process.pid, started_at, socket: place.socket })}\n`, {
    mode: PRIVATE_FILE,
  })
  closing.defer(() => rmSync(place.info, { force: true }))

  const ready = scan().catch(async (thrown: unknown) => {
    if (stopping !== undefined) return
    onNote(`stopped: ${messageOf(thrown)}`)
    await stop()
    throw thrown
  })
  ready.catch(() => {})

  const reconcileLater = () => {
    const usual = unwatched === undefined ? HUB_RECONCILE_MS : HUB_RECONCILE_UNWATCHED_MS
    timer = setTimeout(async () => {
      await scan().catch((thrown: unknown) => onNote(`a look at all files failed: ${messageOf(thrown)}`))
      if (stopping === undefined) reconcileLater()
    }, reconcile_ms ?? usual)
  }
  reconcileLater()
  closing.defer(() => clearTimeout(timer))
  return { place, ready, stopped: stopped.promise, status, stop }
}
