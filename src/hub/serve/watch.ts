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

/** What was heard of since it was last passed on. */
const nothing = () => ({ paths: new Set<string>(), folders: false, rules: false, raw: 0, first: 0 })

export const watchProject = async (place: HubPlace, options: WatchOptions): Promise<Watching> => {
  const { watch } = await import('chokidar')
  const { root } = place
  let heard = nothing()
  let closed = false
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
      if (basename(path) === RULES_FILE) heard.rules = true
      else if (event === 'addDir' || event === 'unlinkDir') heard.folders = true
      else heard.paths.add(relative(root, path).split(sep).join('/'))
      soon()
    })
    // The system does not say when its queue ran over; that many at once, and it may have.
    opened.on('raw', () => {
      heard.raw += 1
      if (heard.raw === HUB_EVENTS_MAX) heard.folders = true
      if (heard.raw >= HUB_EVENTS_MAX) soon()
    })
    opened.on('error', (thrown) => {
      heard.folders = true
      options.onTrouble(messageOf(thrown))
      soon()
    })
    await new Promise<void>((resolve) => {
      opened.once('ready', resolve)
    })
  }

  const flush = async () => {
    const { paths, folders, rules } = heard
    heard = nothing()
    if (rules) {
      await watcher?.close()
      if (!closed) await open()
    }
    if (folders || rules) await options.onFolders()
    else if (paths.size > 0) await options.onPaths([...paths])
  }

  const soon = () => {
    if (closed || flushing !== undefined) return
    heard.first ||= Date.now()
    clearTimeout(timer)
    const left = Math.max(0, HUB_WAIT_MS_MAX - (Date.now() - heard.first))
    timer = setTimeout(run, Math.min(HUB_QUIET_MS, left))
  }

  const run = () => {
    flushing ??= flush()
      .catch((thrown: unknown) => options.onTrouble(messageOf(thrown)))
      .finally(() => {
        flushing = undefined
        if (heard.paths.size > 0 || heard.folders || heard.rules) soon()
      })
  }

  await open()
  return {
    get pending() {
      return heard.paths.size
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await flushing
      await watcher?.close()
    },
  }
}
