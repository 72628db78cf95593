/** Brings the index to what the files say now: all of them, or a few. */

import { setImmediate as yieldOnce } from 'node:timers/promises'
import { belonging, findFiles } from '../../nodes/find.ts'
import { fileStamp, isUnchanged, type ReadFile, readSource } from '../../nodes/read-file.ts'
import { isSourcePath } from '../../nodes/source-path.ts'
import { sha256 } from '../../sha256.ts'
import type { CodeIndex } from './code-index.ts'
import { isSettings, moduleLayout } from './layout.ts'
import type { HubPlace } from './place.ts'

/** Files that are taken in at once: what is done when the process ends stays done. */
const BATCH_FILES = 200

export interface LookReport {
  files: number
  /** Whose content was read, parsed anew, and purged. */
  read: number
  parsed: number
  removed: number
}

/** Rejects when `signal` fires: what was taken in until then stays. */
export const lookAtAll = async (
  { root, isOwn }: HubPlace,
  index: CodeIndex,
  signal: AbortSignal,
): Promise<LookReport> => {
  const before = [...index.paths()].map((path) => ({ path, row: index.fileRow(path) }))
  const wanted = (name: string) => isSourcePath(name) || isSettings(name)
  const { files: all, unreadable } = await findFiles(root, ['.'], { wanted })
  signal.throwIfAborted()
  const settings = all.filter(({ path }) => !isSourcePath(path) && !isOwn(path))
  const files = all.filter(({ path }) => isSourcePath(path) && !isOwn(path))
  const paths = new Set(files.map(({ path }) => path))
  const isBeyond = (path: string) =>
    unreadable.some((one) => path === one.path || path.startsWith(`${one.path}/`))
  // A file that was taken in while the folders were read is not gone because it was not met.
  const removed = before
    .filter(({ path, row }) => !paths.has(path) && !isBeyond(path) && index.fileRow(path) === row)
    .map(({ path }) => path)
  if (removed.length > 0) index.apply({ read: [], removed })
  const changed = files
    .filter(({ path, stamp }) => {
      const row = index.fileRow(path)
      return row === undefined || !isUnchanged(row, stamp)
    })
    .map(({ path }) => path)
  const report = { files: files.length, read: 0, parsed: 0, removed: removed.length }
  for (let at = 0; at < changed.length; at += BATCH_FILES) {
    const read = await readAll(root, index, changed.slice(at, at + BATCH_FILES), signal)
    index.apply({ read, removed: [] })
    report.read += read.length
    report.parsed += read.filter((file) => file.parsed !== undefined).length
  }
  const layout = await moduleLayout(
    root,
    settings.map(({ path }) => path),
    [...paths],
  )
  const digest = sha256(
    JSON.stringify([
      [...layout.packages],
      settings.map(({ path, stamp }) => [path, stamp.bytes, stamp.mtime_ms]),
    ]),
  )
  index.setLayout(layout, digest)
  return report
}

/** Takes in what became of a few paths. */
export const lookAt = async (
  { root, isOwn }: HubPlace,
  index: CodeIndex,
  paths: readonly string[],
): Promise<void> => {
  const belongs = belonging(root)
  const changed: string[] = []
  const removed: string[] = []
  for (const path of paths) {
    const known = index.fileRow(path)
    const stamp = !isOwn(path) && (await belongs(path)) ? await fileStamp(root, path) : undefined
    if (stamp === undefined) {
      if (known !== undefined) removed.push(path)
    } else if (known === undefined || !isUnchanged(known, stamp)) changed.push(path)
  }
  const read = await readAll(root, index, changed)
  index.apply({ read, removed })
}

/** A file that vanished meanwhile is left for the next look. */
const readAll = async (
  root: string,
  index: CodeIndex,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ReadFile[]> => {
  const read: ReadFile[] = []
  for (const path of paths) {
    signal?.throwIfAborted()
    const file = await readSource(root, path, index.fileRow(path)?.hash)
    if (file !== undefined) read.push(file)
    await yieldOnce()
  }
  return read
}
