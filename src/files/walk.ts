import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { IGNORE_FILE_BYTES_MAX, WORKSPACE_FILES_MAX } from '../limits.ts'
import { codeOf, segmentsOf } from './confine.ts'
import { type FolderEntry, kindOf } from './files.ts'
import type { LeftOut } from './left-out.ts'

export interface Found {
  /** Relative, with `/`. */
  readonly path: string
  readonly kind: 'file' | 'link'
}

export interface Skipped {
  readonly path: string
  readonly reason: string
}

/**
 * Files and links under `root`, sorted by path, without what is left out. With `collect`, each `.gitignore` on
 * the way is added to `leftOut` before its folder is read.
 */
export async function walk(
  root: string,
  leftOut: LeftOut,
  options: { collect?: boolean } = {},
): Promise<{ found: Found[]; skipped: Skipped[] }> {
  const found: Found[] = []
  const skipped: Skipped[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (options.collect) await collectRules(root, folder, leftOut)
    for (const { name, kind } of await entriesOf(root, folder)) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (leftOut.has(path, kind === 'folder')) continue
      const unusable = kind === 'other' ? 'not a regular file' : reasonAgainst(path)
      if (unusable) skipped.push({ path, reason: unusable })
      else if (kind === 'folder') folders.push(path)
      else found.push({ path, kind: kind === 'link' ? 'link' : 'file' })
    }
    if (found.length > WORKSPACE_FILES_MAX) throw tooMany(root)
  }
  return { found: found.sort((one, other) => (one.path < other.path ? -1 : 1)), skipped }
}

async function entriesOf(root: string, folder: string): Promise<FolderEntry[]> {
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  } catch (thrown) {
    // A folder that vanished while the project was read is simply not there.
    if (folder !== '' && codeOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

/** A file whose name no path can express (a backslash in it) is shown, not copied. */
function reasonAgainst(path: string): string | undefined {
  try {
    segmentsOf(path)
    return undefined
  } catch {
    return 'its name cannot be used in a workspace'
  }
}

async function collectRules(root: string, folder: string, leftOut: LeftOut): Promise<void> {
  const file = join(root, folder, '.gitignore')
  try {
    const stats = await stat(file)
    if (!stats.isFile() || stats.size > IGNORE_FILE_BYTES_MAX) return
    leftOut.add({ folder, text: await readFile(file, 'utf8') })
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown
  }
}

const tooMany = (root: string): TwotrackError =>
  new TwotrackError(
    'limit',
    `${root} has more than ${WORKSPACE_FILES_MAX} files. List what agents do not need in its .gitignore.`,
  )
