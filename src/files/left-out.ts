import ignore, { type Ignore } from 'ignore'

/** Never copied, whatever a `.gitignore` says: records, installed packages, and what tools keep for themselves. */
const ALWAYS = new Set([
  '.git',
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

/** The text of one `.gitignore` and the folder it stands in (`''` is the top). */
export interface IgnoreFile {
  readonly folder: string
  readonly text: string
}

/**
 * What of a project does not belong in a workspace. The rules are those of the project at the time of the copy:
 * an agent that edits a `.gitignore` cannot hide its changes.
 */
export class LeftOut {
  readonly #rules = new Map<string, Ignore>()
  readonly #files: IgnoreFile[] = []
  readonly #paths: ReadonlySet<string>

  /** `paths` are left out as well: the workspace's own folder, what is linked. */
  constructor(files: readonly IgnoreFile[] = [], paths: Iterable<string> = []) {
    this.#paths = new Set(paths)
    for (const file of files) this.add(file)
  }

  get files(): readonly IgnoreFile[] {
    return this.#files
  }

  add(file: IgnoreFile): void {
    this.#files.push(file)
    this.#rules.set(file.folder, ignore({ ignorecase: false, allowRelativePaths: true }).add(file.text))
  }

  /** Asked from the top down: what is inside a folder that is left out is never asked about. */
  has(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (ALWAYS.has(name) || this.#paths.has(path)) return true
    if (name.startsWith('.twotrack-') && name.endsWith('.tmp')) return true
    // The nearest .gitignore that says anything about the path decides, as in git.
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      const rules = this.#rules.get(folder)
      if (!rules) continue
      const relative = folder === '' ? path : path.slice(folder.length + 1)
      const said = rules.test(isFolder ? `${relative}/` : relative)
      if (said.ignored || said.unignored) return said.ignored
    }
    return false
  }
}

/** The folder of a relative path; the top is `''` and has none. */
export function parentOf(path: string): string | undefined {
  if (path === '') return undefined
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}
