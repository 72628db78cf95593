import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isDeep, readYaml } from '../config/yaml.ts'
import { isObject, tryParse } from '../core/event/json.ts'
import { placeInside } from '../files/confine.ts'
import { readInside } from '../files/files.ts'

/** What a path may be left without, and what stands for a folder. */
const FILES = ['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.json', '.node', '.rb']
const OF_FOLDER = [
  ...['package.json', 'Makefile', '__init__.py', '__main__.py'],
  ...FILES.map((end) => `index${end}`),
]
/** A text in quotes: a path may be in it. */
const QUOTED = /["'`]([^"'`\n]{1,300})["'`]/g
const CODE = /\.[cm]?[jt]sx?$/
const SHELL = /(?:\.(?:ba|z|k)?sh|\.mk|(?:^|\/)[^.]+)$/
const PYTHON = /\.py$/
const PYTHON_IMPORT =
  /(?:^|;)[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]{0,4000}\)|[^\n;#]{1,1000})/gm
const WORD_ENDS = /[\s;&|()<>"'`=]+/
const DATA = /\.(?:ya?ml|jsonc?)$/
/** A longer text under one of these keys, or one of several lines, only speaks of files. */
const PROSE_CHARS_MIN = 300
const PROSE = /^(?:prompt|node_template|description|text|reason)$/
const MANIFEST = 'package.json'
/** Files that a program reads to know what to run, though no command names them. */
const READ_BY: Readonly<Record<string, readonly string[]>> = {
  npm: [MANIFEST],
  npx: [MANIFEST],
  pnpm: [MANIFEST],
  yarn: [MANIFEST],
  bun: [MANIFEST],
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  pytest: ['conftest.py'],
  rake: ['Rakefile'],
}

/** The files of a project that a name may mean, from a folder of it on. */
export type Finder = (folder: string, name: string) => readonly string[]

/** Each folder is listed once: a text may have very many words. */
export function finderIn(root: string): Finder {
  const listed = new Map<string, ReadonlyMap<string, Dirent>>()
  const list = (folder: string): ReadonlyMap<string, Dirent> => {
    const entries = listed.get(folder) ?? entriesOf(root, folder)
    listed.set(folder, entries)
    return entries
  }
  return (folder, name) => {
    const path = join(folder, name).split(sep).join('/').replace(/\/$/, '')
    const files = [basename(path), ...FILES.map((end) => basename(path) + end), `${basename(path)}.py`]
    const beside = list(dirname(path))
    const within = beside.get(basename(path))?.isFile() === false || path === '.' ? list(path) : NOTHING
    return [
      ...files.filter((one) => isRead(beside.get(one))).map((one) => join(dirname(path), one)),
      ...OF_FOLDER.filter((one) => isRead(within.get(one))).map((one) => join(path, one)),
    ].map((one) => one.split(sep).join('/'))
  }
}

const NOTHING: ReadonlyMap<string, Dirent> = new Map()
const isRead = (entry: Dirent | undefined): boolean =>
  entry !== undefined && (entry.isFile() || entry.isSymbolicLink())

function entriesOf(root: string, folder: string): ReadonlyMap<string, Dirent> {
  try {
    const { target } = placeInside(root, folder)
    return new Map(readdirSync(target, { withFileTypes: true }).map((entry) => [entry.name, entry]))
  } catch {
    // No folder of the project.
    return NOTHING
  }
}

/** Files of a project that a file of it may mean: what it imports, what its commands run. */
export async function namedIn(root: string, find: Finder, path: string, text: string): Promise<string[]> {
  const here = dirname(path)
  const words = [...new Set(dataWords(path, text) ?? codeWords(path, text))]
  const own = CODE.test(path) ? await ownImports(root, find, here, words) : []
  return [...words.flatMap((word) => byWord(find, here, word)), ...own]
}

/** What a word may mean: code imports from where it is, what is started is started from the top. */
export const byWord = (find: Finder, folder: string, word: string): string[] =>
  meanings(word).flatMap((name) => [
    ...find(folder, name),
    ...find('.', name),
    ...(READ_BY[name] ?? []).flatMap((file) => find('.', file)),
  ])

/** As it stands; as an address, without a folder that is only known later; as a module of Python. */
function meanings(word: string): string[] {
  const path = decoded(word.replace(/[?#].*$/s, '')).replace(/^\$(?:\w+|\{[^}]*\})\//, '')
  const [, dots = '', module] = /^(\.*)(\w+(?:\.\w+)*)$/.exec(path) ?? []
  const names = [
    word,
    path,
    module === undefined ? '' : '../'.repeat(Math.max(dots.length - 1, 0)) + module.replaceAll('.', '/'),
  ]
  return [...new Set(names)].filter((name) => name !== '')
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** The words of commands in data. Of a manifest only its scripts say what is run. */
function dataWords(path: string, text: string): string[] | undefined {
  if (!DATA.test(path)) return undefined
  const yaml = path.endsWith('.json') ? { value: tryParse(text) } : readYaml(text)
  if (!('value' in yaml) || yaml.value === undefined || isDeep(yaml.value)) return undefined
  const isManifest = path === MANIFEST || path.endsWith(`/${MANIFEST}`)
  return commandWords(isManifest && isObject(yaml.value) ? yaml.value['scripts'] : yaml.value)
}

/** Of code what stands in quotes, and the modules of Python; of scripts of a shell and the like every word. */
function codeWords(path: string, text: string): string[] {
  const quoted = [...unescaped(text).matchAll(QUOTED)].flatMap(([, name = '']) => wordsOf(name))
  if (SHELL.test(path)) return [...quoted, ...text.split(WORD_ENDS)]
  return PYTHON.test(path) ? [...quoted, ...modulesIn(text)] : quoted
}

/** What `from a import b` names may be a module of `a`. */
const modulesIn = (text: string): string[] =>
  [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, list = '']) => {
    const names = list.split(/[(),]/).flatMap((one) => one.trim().split(/\s/, 1))
    return from === undefined ? names : [from, ...names.map((name) => `${from.replace(/\w$/, '$&.')}${name}`)]
  })

/** A name may hold spaces, and a command may stand in one text. */
const wordsOf = (text: string): string[] => [text.trim(), ...text.split(WORD_ENDS)]

/** Every word of every text in a value that is no prose. */
export const commandWords = (value: unknown): string[] => textsIn(value).flatMap(wordsOf)

function textsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string')
    return PROSE.test(key) && (value.length > PROSE_CHARS_MIN || value.includes('\n')) ? [] : [value]
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key))
  return isObject(value) ? Object.entries(value).flatMap(([name, one]) => textsIn(one, name)) : []
}

/** `#name`, and the project's own name, as the nearest manifest explains them; and that manifest. */
async function ownImports(
  root: string,
  find: Finder,
  folder: string,
  words: readonly string[],
): Promise<string[]> {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, MANIFEST)
    const value = tryParse((await readInside(root, manifest).catch(() => '')).toString())
    if (isObject(value)) {
      const { name, imports, exports } = value
      const own = words.filter((word) => word.startsWith('#') || `${word}/`.startsWith(`${String(name)}/`))
      const targets = own.flatMap((word) =>
        word.startsWith('#')
          ? targetsOf(imports, word)
          : targetsOf(exports, `.${word.slice(String(name).length)}`),
      )
      return own.length === 0 ? [] : [manifest, ...targets.flatMap((target) => find(at, target))]
    }
    if (at === '.') return []
  }
}

/** Where a table of a manifest leads a name; a table without names is that of the package itself. */
function targetsOf(table: unknown, name: string): string[] {
  const isTable = isObject(table) && Object.keys(table).some((key) => /^[.#]/.test(key))
  return Object.entries(isTable ? table : { '.': table }).flatMap(([pattern, target]) => {
    const star = starOf(pattern, name)
    return star === undefined ? [] : textsIn(target).map((one) => one.replaceAll('*', () => star))
  })
}

/** What the star of a pattern stands for in a name; undefined where it does not match. */
function starOf(pattern: string, name: string): string | undefined {
  const [before = '', after] = pattern.split('*')
  if (after === undefined) return pattern === name ? '' : undefined
  if (name.length < before.length + after.length) return undefined
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, name.length - after.length)
}

/** Lines of code that compute what they load or run. */
export function computedIn(path: string, text: string): number[] {
  const computes = COMPUTED.find(([files]) => files.test(path))?.[1]
  if (!computes) return []
  return text.split('\n').flatMap((line, at) => (computes.test(unescaped(line)) ? [at + 1] : []))
}

/** What loads or runs something that is not one text in quotes, code made of text, and what makes further ways to load. */
const COMPUTED: readonly (readonly [files: RegExp, line: RegExp])[] = [
  [
    CODE,
    /\b(?:import|require|Worker|fork|Script|runIn\w*Context)\s*\((?!\s*(?:"[^"]*"|'[^']*'|`[^`$]*`)\s*[,)])|[=(,]\s*require\s*(?:[;,)]|$)|\b(?:eval|Function|createRequire)\s*\(|\bprocess\.(?:binding|dlopen)\b/,
  ],
  [
    PYTHON,
    /\b(?:exec|eval|compile|__import__|import_module|run_path|run_module)\s*\((?!\s*(?:"[^"]*"|'[^']*')\s*[,)])/,
  ],
  [SHELL, /\beval\b|(?:^|[;&|]|\bsource)\s*(?:\.\s+)?["']?\$[{(\w]/],
]

/** As JSON and scripts read their texts: letters can be hidden as escapes. */
export const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u\{([0-9a-f]{1,5})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, ...codes: string[]) =>
      String.fromCodePoint(Number.parseInt(codes.find(Boolean) ?? '0', 16)),
    )
    .replace(/\\([/.])/g, '$1')
