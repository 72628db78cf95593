// Asked by a process that a harness starts at each of its steps (app/hook-process.ts), so it imports nothing but Node.
import { lstatSync } from 'node:fs'
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
 * git repository. Without one that root is the top, unless it is the person's home; else the folder itself.
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
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
