/** How a project names its own modules, by its settings and its folders. */

import { readFile } from 'node:fs/promises'
import { basename, join, posix, relative, sep } from 'node:path'
import { createPathsMatcher, parseTsconfig } from 'get-tsconfig'
import { isObject, tryParse } from '../../core/event/json.ts'
import { isWithin } from '../../files/confine.ts'
import type { ModuleLayout } from '../../nodes/modules.ts'

/** A way to write an import that is no path. */
interface Alias {
  /** The folder that it holds in; `''` for everywhere. */
  readonly folder: string
  /** The paths from the top that a module may mean. */
  readonly targets: (module: string) => readonly string[]
}

const MANIFEST = 'package.json'
const SETTINGS = /^(?:ts|js)config(?:\.[\w-]+)?\.json$/
/** Where the source of a package begins, whose `main` names what is built from it. */
const ENTRIES = ['src/index', 'source/index', 'lib/index', 'index', 'src/main']

export const isSettings = (name: string): boolean => name === MANIFEST || SETTINGS.test(name)

/** `settings` are the paths of the project's settings (`isSettings`), `files` those of its code. */
export const moduleLayout = async (
  root: string,
  settings: readonly string[],
  files: readonly string[],
): Promise<ModuleLayout> => {
  const read = settings.map((path) =>
    basename(path) === MANIFEST ? fromManifest(root, path) : fromTsconfig(root, path),
  )
  // The nearest first.
  const aliases = (await Promise.all(read))
    .flat()
    .toSorted((one, other) => other.folder.length - one.folder.length)
  return {
    packages: pythonPackages(files),
    aliased: (from, module) =>
      aliases.flatMap(({ folder, targets }) =>
        folder === '' || isWithin(folder, from) ? targets(module) : [],
      ),
  }
}

const folderOf = (path: string): string => (path.includes('/') ? posix.dirname(path) : '')

/** What can't be read as settings says nothing. */
function fromTsconfig(root: string, path: string): Alias[] {
  try {
    const file = join(root, path)
    const match = createPathsMatcher({ path: file, config: parseTsconfig(file) })
    if (match === null) return []
    const fromTop = (target: string) => relative(root, target).split(sep).join('/')
    return [{ folder: folderOf(path), targets: (module) => match(module).map(fromTop) }]
  } catch {
    return []
  }
}

/** A package is imported by its name from anywhere, and what it names under `imports` from inside. */
async function fromManifest(root: string, path: string): Promise<Alias[]> {
  const value = tryParse(await readFile(join(root, path), 'utf8').catch(() => ''))
  if (!isObject(value)) return []
  const { name, imports } = value
  const folder = folderOf(path)
  const alias = (pattern: string, targets: readonly string[]) =>
    matching(
      pattern,
      targets.map((target) => posix.join(folder, target)),
    )
  const own = Object.entries(isObject(imports) ? imports : {}).map(
    ([pattern, target]): Alias => ({ folder, targets: alias(pattern, stringsIn(target)) }),
  )
  if (typeof name !== 'string') return own
  return [
    ...own,
    { folder: '', targets: alias(name, ENTRIES) },
    { folder: '', targets: alias(`${name}/*`, ['src/*', '*']) },
  ]
}

/** A pattern with at most one star, which stands in the targets for the same. */
const matching = (pattern: string, targets: readonly string[]): Alias['targets'] => {
  const [prefix = '', suffix] = pattern.split('*')
  if (suffix === undefined) return (module) => (module === pattern ? targets : [])
  return (module) => {
    const isMatch =
      module.length >= prefix.length + suffix.length && module.startsWith(prefix) && module.endsWith(suffix)
    const star = module.slice(prefix.length, module.length - suffix.length)
    return isMatch ? targets.map((target) => target.replace('*', () => star)) : []
  }
}

/** All texts in a value: an entry may be a path, a list, or one path for each condition. */
const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : []

function pythonPackages(files: readonly string[]): Map<string, string[]> {
  const known = new Set(files.filter((path) => basename(path) === '__init__.py').map(folderOf))
  const packages = new Map<string, string[]>()
  for (const folder of known) {
    const above = folderOf(folder)
    if (folder === '' || known.has(above)) continue
    const name = basename(folder)
    packages.set(name, [...(packages.get(name) ?? []), above])
  }
  return packages
}
