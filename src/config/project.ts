// Asked by a process that a harness starts at each of its steps (app/hook-process.ts), so it imports nothing but Node.
import { lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const FILE_NAMES = ['twotrack.yaml', 'twotrack.yml']

export interface FoundProject {
  /** Its configuration; more than one is a mistake. */
  readonly files: readonly string[]
  readonly root: string
}

/**
 * The project of a folder: its top has the configuration file, its own or its nearest parent's, not above the root of its
 * git repository. Without one that root is the top, unless it is the person's home; else the folder itself. What somebody else
 * put into a folder that all can write to, such as `/tmp`, does not count.
 */
export function projectOf(cwd: string): FoundProject {
  let folder = resolve(cwd)
  for (;;) {
    const files = FILE_NAMES.map((name) => join(folder, name)).filter(isThere)
    if (files.length > 0) return { files, root: folder }
    if (isThere(join(folder, '.git'))) return { files, root: folder === homedir() ? resolve(cwd) : folder }
    const parent = dirname(folder)
    if (parent === folder) return { files, root: resolve(cwd) }
    folder = parent
  }
}

// A dangling link counts as there: reading it then says what is wrong, instead of silently using defaults.
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || process.getuid === undefined) return found !== undefined
  const folder = statSync(dirname(path))
  const isForAll = (folder.mode & WRITABLE_BY_ALL) !== 0
  return !isForAll || [process.getuid(), ROOT, folder.uid].includes(found.uid)
}

const WRITABLE_BY_ALL = 0o002
const ROOT = 0
