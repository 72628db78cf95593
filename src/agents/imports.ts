import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isTestFile } from '../nodes/edges.ts'
import { findFiles } from '../nodes/find.ts'
import { importedFile } from '../nodes/modules.ts'
import { languageNameOf } from '../nodes/source-path.ts'
import { type Alias, aliasesOf, aliasTargets } from './aliases.ts'
import { perRun, projectOf } from './per-run.ts'

/** Which files of a project import which. Read by pattern, not parsed: it is asked for the whole project at once. */
export interface ImportGraph {
  readonly files: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  /** File → the files that import it. */
  readonly importers: ReadonlyMap<string, readonly string[]>
}

/** Of the project as it was when the run began to ask. */
export const projectGraph = perRun((context) => importGraph(projectOf(context)))

export async function importGraph(workspace: string): Promise<ImportGraph> {
  const { files: found } = await findFiles(workspace, ['.'])
  const files = found.map(({ path }) => path)
  const known = new Set(files)
  const names = pythonNames(files, known)
  const aliases = await aliasesOf(workspace, files)
  const texts = new Map<string, string>()
  const importers = new Map<string, string[]>()
  for (const path of files) {
    const text = await readFile(join(workspace, path), 'utf8').catch(() => '')
    texts.set(path, text)
    const isPython = languageNameOf(path) === 'python'
    const targets = isPython
      ? pythonTargets(path, text, known, names)
      : scriptTargets(path, text, known, aliases)
    for (const target of new Set(targets))
      if (target !== path) importers.set(target, [...(importers.get(target) ?? []), path])
  }
  return { files, texts, importers }
}

const SCRIPT_IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(["'])([^"'\n]{1,300})\1/g

function scriptTargets(
  path: string,
  text: string,
  known: ReadonlySet<string>,
  aliases: readonly Alias[],
): string[] {
  const file = { path, language: languageNameOf(path) ?? 'javascript' } as const
  return [...text.matchAll(SCRIPT_IMPORT)].flatMap(([, , module = '']) => {
    // A name that an alias leads to is looked up as if it were written as a path from the top.
    const asked = module.startsWith('.')
      ? [[file, module] as const]
      : aliasTargets(aliases, path, module).map((target) => [{ ...file, path: 'x' }, `./${target}`] as const)
    for (const [from, name] of asked) {
      const target = importedFile(from, name, (one) => known.has(one)).path
      if (target !== null) return [target]
    }
    return []
  })
}

const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]{0,5000}\)|[^\n#]+)|import[ \t]+([^\n#;]+))/gm

function pythonTargets(
  path: string,
  text: string,
  known: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): string[] {
  const isKnown = (one: string) => known.has(one)
  const find = (module: string): string[] => {
    const own = names.get(module) ?? importedFile({ path, language: 'python' }, module, isKnown).path
    return own ? [own] : []
  }
  const modules = [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, list = '', plain = '']) =>
    from === undefined
      ? listed(plain).flatMap(withParents)
      : [from, ...listed(list).map((name) => under(from, name))],
  )
  return [...modules.flatMap(find), ...(isTestFile(path) ? conftests(path).filter(isKnown) : [])]
}

const listed = (text: string): string[] => text.match(/[\w.]+(?=\s*(?:,|\)|$|\s+as\b|\\))/g) ?? []

const under = (module: string, name: string): string =>
  module.endsWith('.') ? `${module}${name}` : `${module}.${name}`

/** Importing `a.b.c` runs `a` and `a.b` too. */
const withParents = (module: string): string[] =>
  module.split('.').map((_, at, parts) => parts.slice(0, at + 1).join('.'))

/** pytest gives the fixtures of these to every test below them. */
function conftests(path: string): string[] {
  const parts = posix
    .dirname(path)
    .split('/')
    .filter((part) => part !== '.')
  return Array.from({ length: parts.length + 1 }, (_, count) =>
    posix.join(...parts.slice(0, count), 'conftest.py'),
  )
}

/** The names that Python files are imported by: from the folder above their outermost package. */
function pythonNames(files: readonly string[], known: ReadonlySet<string>): Map<string, string> {
  const names = new Map<string, string>()
  for (const path of files) {
    if (languageNameOf(path) !== 'python') continue
    let folder = posix.dirname(path)
    while (known.has(posix.join(folder, '__init__.py')) && folder !== '.') folder = posix.dirname(folder)
    const name = posix
      .relative(folder, path)
      .replace(/\.pyi?$/, '')
      .replace(/\/__init__$/, '')
      .replaceAll('/', '.')
    if (!names.has(name) && folder !== posix.dirname(path)) names.set(name, path)
  }
  return names
}
