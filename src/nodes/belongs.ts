/** Whether a single path is one that `findFiles` would find: for files that are heard of one by one. */

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { enterFolder, type IgnoreRules, isIgnored, rulesForNamed } from '../files/gitignore.ts'
import { FOLDER_DEPTH_MAX } from '../limits.ts'
import { SKIPPED_FOLDERS } from './find.ts'
import { isSourcePath } from './source-path.ts'

const isRealFolder = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

/** A folder that belongs, with the rules in it; null for one that does not. */
type Entered = { rules: IgnoreRules | null } | null

/** Remembers folders: to be used for one batch of paths, and then made anew. Also refuses what leads out of the root. */
export const belonging = (root: string): ((path: string) => Promise<boolean>) => {
  const entered = new Map<string, Promise<Entered>>([['', Promise.resolve({ rules: rulesForNamed(root) })]])

  const enter = (folders: readonly string[]): Promise<Entered> => {
    const path = folders.join('/')
    const known = entered.get(path) ?? enterNew(folders)
    entered.set(path, known)
    return known
  }

  const enterNew = async (folders: readonly string[]): Promise<Entered> => {
    const name = folders.at(-1) ?? ''
    const outer = await enter(folders.slice(0, -1))
    if (outer === null || name === '' || name === '.' || name === '..' || SKIPPED_FOLDERS.has(name))
      return null
    const folder = join(root, ...folders)
    if (isIgnored(folder, true, outer.rules) || !(await isRealFolder(folder))) return null
    return { rules: enterFolder(folder, outer.rules) }
  }

  return async (path) => {
    const folders = path.split('/')
    const name = folders.pop() ?? ''
    if (!isSourcePath(name) || folders.length > FOLDER_DEPTH_MAX) return false
    const folder = await enter(folders)
    return folder !== null && !isIgnored(join(root, path), false, folder.rules)
  }
}
