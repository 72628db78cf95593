import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isObject, tryParse } from '../core/event/json.ts'
import { isWithin } from '../files/confine.ts'

/** A way to write an import that is no path: a tsconfig `paths` pattern, an `imports` entry, the name of a package. */
export interface Alias {
  /** The folder that it holds in; `''` for everywhere. */
  readonly folder: string
  /** Up to the star, or the whole name. */
  readonly prefix: string
  readonly suffix: string
  readonly hasStar: boolean
  /** Paths from the top, a star for what the star stood for. */
  readonly targets: readonly string[]
}

const SETTINGS = ['tsconfig.json', 'tsconfig.base.json', 'jsconfig.json', 'package.json']

/** The aliases that the manifests beside and above the source files declare. */
export async function aliasesOf(workspace: string, files: readonly string[]): Promise<Alias[]> {
  const folders = new Set<string>([''])
  for (const file of files)
    for (let at = posix.dirname(file); at !== '.' && !folders.has(at); at = posix.dirname(at)) folders.add(at)
  const all = await Promise.all(
    [...folders].flatMap((folder) =>
      SETTINGS.map(async (name) => {
        const text = await readFile(join(workspace, folder, name), 'utf8').catch(() => '')
        const value = text === '' ? undefined : tryParse(plainJson(text))
        if (!isObject(value)) return []
        return name === 'package.json' ? fromManifest(folder, value) : fromTsconfig(folder, value)
      }),
    ),
  )
  return all.flat()
}

/** The paths from the top that an import may mean, nearest aliases first. */
export function aliasTargets(aliases: readonly Alias[], path: string, module: string): string[] {
  return aliases
    .filter(
      ({ folder, prefix, suffix, hasStar }) =>
        (folder === '' || isWithin(folder, path)) &&
        (hasStar
          ? module.startsWith(prefix) &&
            module.endsWith(suffix) &&
            module.length >= prefix.length + suffix.length
          : module === prefix),
    )
    .toSorted(
      (one, other) => other.folder.length - one.folder.length || other.prefix.length - one.prefix.length,
    )
    .flatMap(({ prefix, suffix, targets }) =>
      targets.map((target) =>
        target.replace('*', module.slice(prefix.length, module.length - suffix.length)),
      ),
    )
}

function aliasOf(folder: string, pattern: string, targets: readonly string[]): Alias {
  const [prefix = '', suffix = ''] = pattern.split('*')
  return { folder, prefix, suffix, hasStar: pattern.includes('*'), targets }
}

function fromTsconfig(folder: string, value: Record<string, unknown>): Alias[] {
  const options = isObject(value['compilerOptions']) ? value['compilerOptions'] : {}
  const base = typeof options['baseUrl'] === 'string' ? options['baseUrl'] : '.'
  const paths = isObject(options['paths']) ? options['paths'] : {}
  return Object.entries(paths).map(([pattern, targets]) =>
    aliasOf(
      folder,
      pattern,
      stringsIn(targets).map((target) => posix.join(folder, base, target)),
    ),
  )
}

/** A package is imported by its name from anywhere; its source is where its entry is not built from. */
function fromManifest(folder: string, value: Record<string, unknown>): Alias[] {
  const { name, imports } = value
  const own = Object.entries(isObject(imports) ? imports : {}).map(([pattern, target]) =>
    aliasOf(
      folder,
      pattern,
      stringsIn(target).map((one) => posix.join(folder, one)),
    ),
  )
  if (typeof name !== 'string') return own
  const entries = ['src/index', 'source/index', 'lib/index', 'index', 'src/main']
  return [
    ...own,
    aliasOf(
      '',
      name,
      entries.map((entry) => posix.join(folder, entry)),
    ),
    aliasOf(
      '',
      `${name}/*`,
      ['src/*', '*'].map((target) => posix.join(folder, target)),
    ),
  ]
}

/** All texts in a value: an entry may be a path, a list, or one path for each condition. */
const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsIn)
      : []

/** JSON as tsconfig files hold it: comments and commas at the end are taken out, text in quotes stays. */
const plainJson = (text: string): string =>
  text
    .replace(
      /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_, quoted: string | undefined) => quoted ?? '',
    )
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
