import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/** A `.gitignore`; the rules of a longer one are not read. */
const IGNORE_FILE_BYTES_MAX = 1024 * 1024

/** Never part of a project, whatever a `.gitignore` says: records, installed packages, caches of tools. */
const NEVER: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.agentfs',
  'node_modules',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.DS_Store',
])

/** The rules of one `.gitignore`, in words that do not depend on where the project stands. */
export interface IgnoreFile {
  /** The folder whose content they are for, relative to the top (`''`). */
  readonly folder: string
  /** Rules from above the top: what leads from their own folder to the top, with a `/` at the end. */
  readonly prefix?: string | undefined
  readonly text: string
}

/**
 * What of a folder does not belong to the project: what git would not track, and what is never part of one. The rules
 * of a folder are read when its content is asked about for the first time, and not again.
 */
export class IgnoreRules {
  readonly #root: string | undefined
  readonly #also: ReadonlySet<string>
  readonly #read = new Set<string>()
  readonly #files: IgnoreFile[] = []
  /** By folder; of several the last one counts most. */
  readonly #rules = new Map<string, { prefix: string; rules: Ignore }[]>()

  private constructor(root: string | undefined, also: Iterable<string>) {
    this.#root = root
    this.#also = new Set(also)
  }

  /**
   * For the content of `root`, an absolute path without links, as it is on disk. Rules of the repository around it hold
   * too, unless they say that `root` itself is ignored: who names an ignored folder means what is in it.
   */
  static of(root: string, also: Iterable<string> = []): IgnoreRules {
    const rules = new IgnoreRules(root, also)
    for (const file of rulesAround(root)) rules.#add(file)
    return rules
  }

  /** The rules as they once were; nothing is read. */
  static from(files: readonly IgnoreFile[], also: Iterable<string> = []): IgnoreRules {
    const rules = new IgnoreRules(undefined, also)
    for (const file of files) rules.#add(file)
    return rules
  }

  /** All that was read so far. */
  get files(): readonly IgnoreFile[] {
    return this.#files
  }

  /** To be asked from the top down: nothing is said of what is in an ignored folder. */
  has(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (NEVER.has(name) || this.#also.has(path)) return true
    if (name.startsWith('.twotrack-') && name.endsWith('.tmp')) return true
    // The nearest file that says anything about the path decides, as in git.
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      const below = folder === '' ? path : path.slice(folder.length + 1)
      for (const { prefix, rules } of this.#of(folder)) {
        const { ignored, unignored } = rules.test(`${prefix}${below}${isFolder ? '/' : ''}`)
        if (ignored || unignored) return ignored
      }
    }
    return false
  }

  /** The same of a path by itself: whether it, or a folder on the way to it, does not belong. */
  leavesOut(path: string, isFolder = false): boolean {
    const above = parentOf(path)
    return (above ? this.leavesOut(above, true) : false) || this.has(path, isFolder)
  }

  #of(folder: string): readonly { prefix: string; rules: Ignore }[] {
    if (this.#root !== undefined && !this.#read.has(folder)) {
      this.#read.add(folder)
      const text = readRules(join(this.#root, folder, '.gitignore'))
      if (text !== '') this.#add({ folder, text })
    }
    return this.#rules.get(folder) ?? []
  }

  #add(file: IgnoreFile): void {
    this.#files.push(file)
    const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(file.text)
    this.#rules.set(file.folder, [
      { prefix: file.prefix ?? '', rules },
      ...(this.#rules.get(file.folder) ?? []),
    ])
  }
}

/**
 * The rules of the folders above, from the top of the repository down. None outside of a repository, and none when
 * they ignore `root` itself.
 */
function rulesAround(root: string): IgnoreFile[] {
  const above: string[] = []
  for (let at = root; !existsSync(join(at, '.git')); ) {
    if (dirname(at) === at) return []
    at = dirname(at)
    above.unshift(at)
  }
  const top = above[0] ?? root
  if (
    relative(top, root)
      .split(sep)
      .some((name) => NEVER.has(name))
  )
    return []
  const texts = [
    { at: top, text: readRules(join(top, '.git', 'info', 'exclude')) },
    ...above.map((at) => ({ at, text: readRules(join(at, '.gitignore')) })),
  ].filter(({ text }) => text !== '')
  const seenFrom = (folder: string): IgnoreFile[] =>
    texts.map(({ at, text }) => ({ folder: '', prefix: prefixOf(at, folder), text }))
  const isItself = root !== top && IgnoreRules.from(seenFrom(dirname(root))).has(basename(root), true)
  return isItself ? [] : seenFrom(root)
}

const prefixOf = (from: string, to: string): string =>
  from === to ? '' : `${relative(from, to).split(sep).join('/')}/`

function readRules(file: string): string {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= IGNORE_FILE_BYTES_MAX ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

/** The folder of a relative path; the top is `''` and has none. */
export function parentOf(path: string): string | undefined {
  if (path === '') return undefined
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}
