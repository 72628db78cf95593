import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { FILES_MAX, FOLDER_DEPTH_MAX } from '../limits.ts'
import { segmentsOf } from './confine.ts'
import { type FolderEntry, kindOf } from './files.ts'
import { inFolder } from './held.ts'
import type { IgnoreRules } from './ignore.ts'

export interface FoundFile {
  /** Relative, with `/`. */
  readonly path: string
  readonly kind: 'file' | 'link'
}

export interface Skipped {
  readonly path: string
  readonly reason: string
}

export interface WalkOptions {
  /** Names of files to look for; all by default. */
  readonly wanted?: (name: string) => boolean
  readonly files_max?: number
}

/**
 * Files and links under `root`, sorted by path, without what is ignored. No link is followed. What can't be looked at
 * is told in `skipped`; only a `root` that can't be read throws.
 */
export async function walk(
  root: string,
  ignored: IgnoreRules,
  { wanted = () => true, files_max = FILES_MAX }: WalkOptions = {},
): Promise<{ found: FoundFile[]; skipped: Skipped[] }> {
  const found: FoundFile[] = []
  const skipped: Skipped[] = []
  const folders = [{ folder: '', depth: 0 }]
  const top = await realpath(root)
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, depth } = next
    const entries = await entriesOf(top, folder)
    if (typeof entries === 'string') skipped.push({ path: folder, reason: entries })
    else
      for (const { name, kind } of entries) {
        const path = folder === '' ? name : `${folder}/${name}`
        if (ignored.has(path, kind === 'folder')) continue
        if (kind !== 'folder' && !wanted(name)) continue
        const unusable = reasonAgainst(path, kind, depth)
        if (unusable !== undefined) skipped.push({ path, reason: unusable })
        else if (kind === 'folder') folders.push({ folder: path, depth: depth + 1 })
        else found.push({ path, kind: kind === 'link' ? 'link' : 'file' })
      }
    if (found.length > files_max) throw tooMany(root, files_max)
  }
  return { found: found.sort(byPath), skipped: skipped.sort(byPath) }
}

/** By code units, so that the order is the same on every machine. */
export const byPath = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0

/** What is in a folder, or why that can't be known. */
async function entriesOf(root: string, folder: string): Promise<FolderEntry[] | string> {
  try {
    const list = (held: string) => readdir(held, { withFileTypes: true })
    const entries = (await inFolder(root, join(root, folder), folder, list)) ?? []
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  } catch (thrown) {
    if (folder === '') throw thrown
    // A folder that vanished while the project was read is simply not there.
    return codeOf(thrown) === 'ENOENT' ? [] : messageOf(thrown)
  }
}

function reasonAgainst(path: string, kind: FolderEntry['kind'], depth: number): string | undefined {
  if (kind === 'other') return 'not a regular file'
  if (kind === 'folder' && depth >= FOLDER_DEPTH_MAX) return `more than ${FOLDER_DEPTH_MAX} folders deep`
  try {
    segmentsOf(path)
    return undefined
  } catch {
    return 'its name cannot be used in a workspace'
  }
}

const tooMany = (root: string, max: number): TwotrackError =>
  new TwotrackError(
    'limit',
    `${root} has more than ${max} files to look at. Name fewer paths, or list generated folders in .gitignore.`,
  )
