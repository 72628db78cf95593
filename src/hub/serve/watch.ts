/** Hears of changes under a folder. What it says is a hint where to look, never what is there. */

import { basename, relative, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { messageOf } from '../../errors.ts'
import { IgnoreRules } from '../../files/ignore.ts'
import { HUB_EVENTS_MAX, HUB_QUIET_MS, HUB_WAIT_MS_MAX } from '../../limits.ts'
import { isSourcePath } from '../../nodes/source-path.ts'
import type { HubPlace } from './place.ts'

export interface WatchOptions {
  /** Changed paths, gathered until it was quiet for a moment. Not called again before it is done. */
  onPaths: (paths: string[]) => Promise<void>
  /** Folders came, went or changed their rules: the single paths may not be all. */
  onFolders: () => Promise<void>
  /** Watching failed, here or as a whole: changes may go unheard. */
  onTrouble: (reason: string) => void
}

export interface Watching {
  readonly pending: number
  close(): Promise<void>
}

const RULES_FILE = '.gitignore'

/** Whether a path is of no interest. The rules of a folder are read once; when they change, watching begins anew. */
const ignoredUnder = ({ root, isOwn }: HubPlace) => {
  const ignored = IgnoreRules.of(root)
  return (place: string, stats?: { isDirectory(): boolean }): boolean => {
    if (place === root || stats === undefined) return false
    const name = basename(place)
    const isFolder = stats.isDirectory()
    if (!isFolder && !isSourcePath(name) && name !== RULES_FILE) return true
    const path = relative(root, place).split(sep).join('/')
    return isOwn(path) || (name !== RULES_FILE && ignored.has(path, isFolder))
  }
}

export const watchProject = async (place: HubPlace, options: WatchOptions): Promise<Watching> => {
  const { watch } = await import('chokidar')
  const { root } = place
  let paths = new Set<string>()
  let folders = false
  let heard = 0
  let anew = false
  let closed = false
  let first = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let watcher: FSWatcher | undefined

  const open = async () => {
    const opened = watch(root, {
      ignored: ignoredUnder(place),
      followSymlinks: false,
      ignoreInitial: true,
      atomic: false,
      ignorePermissionErrors: true,
    })
    watcher = opened
    opened.on('all', (event, path) => {
      if (basename(path) === RULES_FILE) anew = true
      else if (event === 'addDir' || event === 'unlinkDir') folders = true
      else paths.add(relative(root, path).split(sep).join('/'))
      soon()
    })
    // The system does not say when its queue ran over; that many at once, and it may have.
    opened.on('raw', () => {
      heard += 1
      if (heard === HUB_EVENTS_MAX) folders = true
      if (heard >= HUB_EVENTS_MAX) soon()
    })
    opened.on('error', (thrown) => {
      folders = true
      options.onTrouble(messageOf(thrown))
      soon()
    })
    await new Promise<void>((resolve) => {
      opened.once('ready', resolve)
    })
  }

  const flush = async () => {
    const batch = [...paths]
    const all = folders || anew
    paths = new Set()
    folders = false
    heard = 0
    first = 0
    if (anew) {
      anew = false
      await watcher?.close()
      if (!closed) await open()
    }
    if (all) await options.onFolders()
    else if (batch.length > 0) await options.onPaths(batch)
  }

  const soon = () => {
    if (closed || flushing !== undefined) return
    first ||= Date.now()
    clearTimeout(timer)
    const left = Math.max(0, HUB_WAIT_MS_MAX - (Date.now() - first))
    timer = setTimeout(run, Math.min(HUB_QUIET_MS, left))
  }

  const run = () => {
    if (flushing !== undefined) return
    flushing = flush()
      .catch((thrown: unknown) => options.onTrouble(messageOf(thrown)))
      .finally(() => {
        flushing = undefined
        if (paths.size > 0 || folders || anew) soon()
      })
  }

  await open()
  return {
    get pending() {
      return paths.size
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await flushing
      await watcher?.close()
    },
  }
}
