import { existsSync } from 'node:fs'
import { glob, readdir } from 'node:fs/promises'
import { basename, isAbsolute, join, matchesGlob } from 'node:path'
import { isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { readInside } from '../files/files.ts'
import { parentOf } from '../files/ignore.ts'

export interface FolderConfig {
  /** Options as ruff takes them. */
  readonly options: JsonObject
  /** The folder that they are for, and the file they are from; undefined when there is none and ruff's own defaults apply. */
  readonly folder: string
  readonly file?: string
}

const NAMES = ['.ruff.toml', 'ruff.toml', 'pyproject.toml']
const EXTENDS_MAX = 8

/** What counts where a project chose no rules, in every version: errors of names, syntax and statements. */
export const PLAIN_RULES: readonly string[] = ['E4', 'E7', 'E9', 'F']

/** Whether options say which rules count; else those of the version that runs do. */
export const namesRules = (options: JsonObject): boolean =>
  'select' in options || 'select' in (objectAt(options, 'lint') ?? {})

/** The options for the files of a folder, as ruff finds them: of the nearest one upwards that has any. */
export async function ruffConfigIn(workspace: string, of: string): Promise<FolderConfig> {
  for (let folder: string | undefined = of; folder !== undefined; folder = parentOf(folder))
    for (const name of NAMES) {
      const file = folder === '' ? name : `${folder}/${name}`
      const found = await optionsIn(workspace, file, 0)
      if (!found) continue
      const { extend: _, ...options } = found
      return { options, folder, file }
    }
  return { options: {}, folder: '' }
}

async function optionsIn(workspace: string, file: string, depth: number): Promise<JsonObject | undefined> {
  const text = await readOrAbsent(workspace, file)
  if (text === undefined) return undefined
  const options = await ownOptions(file, text)
  const base = options?.['extend']
  if (!options || typeof base !== 'string' || depth === EXTENDS_MAX) return options
  const folder = parentOf(file) ?? ''
  const extended = await optionsIn(workspace, folder === '' ? base : `${folder}/${base}`, depth + 1)
  return merged(extended ?? {}, options)
}

async function ownOptions(file: string, text: string): Promise<JsonObject | undefined> {
  try {
    const table = await parseToml(text)
    if (!file.endsWith('pyproject.toml')) return table
    const options = objectAt(objectAt(table, 'tool'), 'ruff')
    if (!options) return undefined
    const target = targetOf(objectAt(table, 'project')?.['requires-python'])
    return 'target-version' in options || target === undefined
      ? options
      : { ...options, 'target-version': target }
  } catch (thrown) {
    throw new TwotrackError('bad_config', `${file} can't be used by ruff: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

/** ruff takes its target from the least Python that a project supports. */
function targetOf(requires: Json | undefined): string | undefined {
  const least =
    typeof requires === 'string' ? /(?:>=|~=|==)\s*3\.(\d{1,2})/.exec(requires.slice(0, 200)) : null
  return least ? `py3${least[1]}` : undefined
}

/** What ruff looks for in an `__init__.py` only as a preview. */
const NOT_IN_INIT = ['F822']
const isPreview = (options: JsonObject): boolean =>
  options['preview'] === true || objectAt(options, 'lint')?.['preview'] === true

/** The wasm build knows no file names, so what depends on them is decided here. */
export function forFile(
  { options, folder }: FolderConfig,
  path: string,
): {
  /** Codes, or what they begin with, that do not count in this file. */
  readonly ignored: readonly string[]
  /** Whether the configuration leaves the file out. */
  readonly isExcluded: boolean
  /** The Python that this file is for, where it is another than the project's. */
  readonly target: Json | undefined
} {
  const own = folder === '' ? path : path.slice(folder.length + 1)
  const tables = [options, objectAt(options, 'lint')]
  const ignored = tables.flatMap((table) =>
    ['per-file-ignores', 'extend-per-file-ignores'].flatMap((key) =>
      Object.entries(objectAt(table, key) ?? {}).flatMap(([pattern, codes]) =>
        isMatch(own, pattern) && Array.isArray(codes) ? codes.map(String) : [],
      ),
    ),
  )
  const excluded = tables.flatMap((table) =>
    ['exclude', 'extend-exclude'].flatMap((key) => {
      const patterns = table?.[key]
      return Array.isArray(patterns) ? patterns.map(String) : []
    }),
  )
  const targets = Object.entries(objectAt(options, 'per-file-target-version') ?? {})
  return {
    ignored: isPreview(options) || !own.endsWith('__init__.py') ? ignored : [...ignored, ...NOT_IN_INIT],
    isExcluded: excluded.some((pattern) => isBelow(own, pattern)),
    target: targets.find(([pattern]) => isMatch(own, pattern))?.[1],
  }
}

/** Whether a pattern means the path or a folder on the way to it. */
function isBelow(path: string, pattern: string): boolean {
  const parts = path.split('/')
  return parts.some((_, depth) =>
    isMatch(parts.slice(0, depth + 1).join('/'), pattern.replace(/^\.\//, '').replace(/\/+$/, '')),
  )
}

/**
 * The wasm build sees no files, so it is told which modules are the project's own: those in the folders of its sources,
 * which are relative to the configuration, and the package that the files of this folder belong to.
 */
export async function withFirstParty(
  options: JsonObject,
  project: string,
  configFolder: string,
  folder: string,
): Promise<JsonObject> {
  const named = Array.isArray(options['src']) ? options['src'].map(String) : ['.', 'src']
  // A pattern that leads out of the project could be any folder of the machine.
  const roots = named.filter((root) => !isAbsolute(root) && !root.split('/').includes('..'))
  const cwd = join(project, configFolder)
  const patterns = roots.filter((root) => /[*?[{]/.test(root))
  for await (const root of glob(patterns, { cwd })) roots.push(root)
  const packages = new Set(packageOf(project, folder))
  const files = new Set<string>()
  for (const root of roots)
    for (const entry of await readdir(join(cwd, root), { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) packages.add(entry.name)
      else if (/\.pyi?$/.test(entry.name)) files.add(entry.name.replace(/\.pyi?$/, ''))
  const lint = objectAt(options, 'lint')
  const isort = objectAt(lint, 'isort')
  // What the project itself says of a module comes first.
  const said = [...ELSEWHERE.map((key) => isort?.[key]), ...Object.values(objectAt(isort, 'sections') ?? {})]
  const isFree = (name: string) =>
    /^\w+$/.test(name) && !said.flat().some((pattern) => matchesGlob(name, String(pattern)))
  const first = [...new Set([...packages, ...files])].filter(isFree)
  // A file has no modules in it: those are another's of the same name.
  const third = [...files].filter((name) => isFree(name) && !packages.has(name)).map((name) => `${name}.*`)
  return {
    ...options,
    lint: {
      ...lint,
      isort: {
        ...isort,
        'known-first-party': [...listAt(isort, 'known-first-party'), ...first],
        'known-third-party': [...listAt(isort, 'known-third-party'), ...third],
      },
    },
  }
}

const listAt = (holder: JsonObject | undefined, key: string): readonly Json[] => {
  const value = holder?.[key]
  return Array.isArray(value) ? value : []
}

/** Options that put modules elsewhere than among the project's own. */
const ELSEWHERE = ['known-third-party', 'known-local-folder', 'extra-standard-library']

/** The name of the outermost package around a folder, if it is in one. */
function packageOf(project: string, folder: string): string[] {
  let top: string | undefined
  for (let at = folder; at !== '' && existsSync(join(project, at, '__init__.py')); at = parentOf(at) ?? '')
    top = at
  return top === undefined ? [] : [basename(top)]
}

/** Whether a code is meant by a selector: `ALL`, a family of rules such as `E` or `PL`, or the beginning of a code. */
export function isSelected(code: string, selector: string): boolean {
  if (selector === 'ALL' || /\d/.test(selector)) return selector === 'ALL' || code.startsWith(selector)
  const family = code.replace(/\d.*$/, '')
  return family === selector || (selector === 'PL' && family.startsWith('PL'))
}

/**
 * As in ruff, a pattern is for the path or for the bare name, its `*` takes in folders, and one that begins with ! is for
 * all others.
 */
function isMatch(path: string, pattern: string): boolean {
  if (pattern.startsWith('!')) return !isMatch(path, pattern.slice(1))
  const name = path.slice(path.lastIndexOf('/') + 1)
  const inOne = (text: string) => text.replaceAll('/', '∕')
  return matchesGlob(path, pattern) || matchesGlob(name, pattern) || matchesGlob(inOne(path), inOne(pattern))
}

function merged(base: JsonObject, own: JsonObject): JsonObject {
  const lint = { ...objectAt(base, 'lint'), ...objectAt(own, 'lint') }
  return { ...base, ...own, ...(Object.keys(lint).length > 0 ? { lint } : {}) }
}

function objectAt(holder: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = holder && Object.hasOwn(holder, key) ? holder[key] : undefined
  return isObject(value) ? (value as JsonObject) : undefined
}

async function readOrAbsent(workspace: string, file: string): Promise<string | undefined> {
  try {
    return (await readInside(workspace, file)).toString()
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
    throw thrown
  }
}

/**
 * Reads a TOML file; a date becomes its text. Throws `bad_config` with the line.
 * @internal
 */
export async function parseToml(text: string): Promise<JsonObject> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return JSON.parse(JSON.stringify(parse(text, { maxDepth: 32 })))
  } catch (thrown) {
    const [what = ''] = messageOf(thrown).replace('Invalid TOML document: ', '').split('\n')
    const line = thrown instanceof TomlError ? thrown.line : undefined
    throw new TwotrackError('bad_config', line === undefined ? what : `line ${line}: ${what}`, {
      cause: thrown,
      details: { line },
    })
  }
}
