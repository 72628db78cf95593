/** Whether a single path is one that `findFiles` would find: for files that are heard of one by one. */

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { IgnoreRules } from '../files/ignore.ts'
import { FOLDER_DEPTH_MAX } from '../limits.ts'
import { isSourcePath } from './source-path.ts'

const isRealFolder = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

/** Remembers folders: to be used for one batch of paths, and then made anew. Also refuses what leads out of the root. */
export const belonging = (root: string): ((path: string) => Promise<boolean>) => {
  const ignored = IgnoreRules.of(root)
  const entered = new Map<string, Promise<boolean>>([['', Promise.resolve(true)]])

  const enter = (folders: readonly string[]): Promise<boolean> => {
    const path = folders.join('/')
    const known = entered.get(path) ?? enterNew(path, folders)
    entered.set(path, known)
    return known
  }

  const enterNew = async (path: string, folders: readonly string[]): Promise<boolean> => {
    const name = folders.at(-1) ?? ''
    if (name === '' || name === '.' || name === '..' || !(await enter(folders.slice(0, -1)))) return false
    return !ignored.has(path, true) && isRealFolder(join(root, ...folders))
  }

  return async (path) => {
    const folders = path.split('/')
    const name = folders.pop() ?? ''
    if (!isSourcePath(name) || folders.length > FOLDER_DEPTH_MAX) return false
    return (await enter(folders)) && !ignored.has(path, false)
  }
}
