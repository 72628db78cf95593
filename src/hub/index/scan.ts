/** Brings an index to what the files say now: at the start, from time to time, and after a flood of changes. */

import { setImmediate as nextTick } from 'node:timers/promises'
import { HUB_BATCH_FILES } from '../../limits.ts'
import { findFiles } from '../../nodes/find.ts'
import type { CodeIndex } from './code-index.ts'
import { isUnchanged, type ReadFile, readSource } from './read-file.ts'

export interface ScanReport {
  files: number
  /** Whose content was read, parsed anew, and purged. */
  read: number
  parsed: number
  removed: number
}

interface ScanOptions {
  /** Paths that are not part of the project although no rule says so: Twotrack's own folder. */
  isOwn: (path: string) => boolean
  signal?: AbortSignal
  /** Runs one task that writes; other writers get their turn between two tasks. */
  alone: <T>(work: () => T | Promise<T>) => Promise<T>
}

/** Reads what may have changed; a file that vanished meanwhile is left for the next look. */
export const readAll = async (
  index: CodeIndex,
  root: string,
  paths: readonly string[],
): Promise<ReadFile[]> => {
  const read: ReadFile[] = []
  for (const path of paths) {
    const file = await readSource(root, path, index.fileRow(path)?.hash)
    if (file !== undefined) read.push(file)
  }
  return read
}

/** Follows all calls that wait for it, a batch of files at a time. */
export const linkAll = async (
  index: CodeIndex,
  { alone, signal }: Pick<ScanOptions, 'alone' | 'signal'>,
): Promise<void> => {
  while (signal?.aborted !== true && (await alone(() => index.link()))) await nextTick()
}

export const scan = async (index: CodeIndex, root: string, options: ScanOptions): Promise<ScanReport> => {
  const { isOwn, signal, alone } = options
  const began = Date.now()
  const { files: all, unreadable } = await findFiles(root, ['.'])
  signal?.throwIfAborted()
  const files = all.filter(({ path }) => !isOwn(path))
  const known = new Map(index.files().map((file) => [file.path, file]))
  const found = new Set(files.map(({ path }) => path))
  const beyond = unreadable.map(({ path }) => path)
  const isBeyond = (path: string) => beyond.some((one) => path === one || path.startsWith(`${one}/`))
  // A file that was taken in while the folders were read is not gone because it was not met.
  const isGone = (path: string) =>
    !found.has(path) && !isBeyond(path) && (known.get(path)?.seen_ms ?? 0) < began
  const removed = [...known.keys()].filter(isGone)
  const report: ScanReport = {
    files: files.length,
    read: 0,
    parsed: 0,
    removed: removed.length,
  }
  if (removed.length > 0) await alone(() => index.apply({ read: [], removed }))
  const changed = files.filter((file) => {
    const row = known.get(file.path)
    return row === undefined || !isUnchanged(row, file.stamp)
  })
  for (let at = 0; at < changed.length && signal?.aborted !== true; at += HUB_BATCH_FILES) {
    const paths = changed.slice(at, at + HUB_BATCH_FILES).map(({ path }) => path)
    await alone(async () => {
      const read = await readAll(index, root, paths)
      report.read += read.length
      report.parsed += read.filter((file) => file.parsed !== undefined).length
      index.apply({ read, removed: [] })
    })
    await nextTick()
  }
  await linkAll(index, options)
  return report
}
