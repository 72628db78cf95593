import { dirname, join, sep } from 'node:path'
import { readYaml } from '../config/yaml.ts'
import { isObject, tryParse } from '../core/event/json.ts'
import { readInside } from '../files/files.ts'

/** What a path may be left without. */
const FILES = ['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.json', '.node']
const ENDINGS = ['', ...['', '/index'].flatMap((start) => FILES.map((end) => start + end)), '/package.json']
/** A text in quotes: a path may be in it. */
const QUOTED = /["'`]([^"'`\n]{1,300})["'`]/g
const CODE = /\.[cm]?[jt]sx?$/
const SHELL = /(?:\.(?:ba|z|k)?sh|\.mk|(?:^|\/)[^.]+)$/
const PYTHON_IMPORT = /^[ \t]*(?:from|import)[ \t]+([\w., \t]+?)(?:[ \t]+(?:import|as)\b.*)?$/gm
const WORD_ENDS = /[\s;&|()<>"'`=]+/
const DATA = /\.(?:ya?ml|jsonc?)$/
/** A longer text, or one of several lines, is prose: it only speaks of files. */
const COMMAND_CHARS_MAX = 300
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

/** Paths of a project that a file of it may mean: what it imports, what its commands run. Not all of them are there. */
export async function namedIn(root: string, path: string, text: string): Promise<string[]> {
  const here = dirname(path)
  const words = dataWords(path, text) ?? codeWords(path, text)
  const aliases = CODE.test(path) ? words.filter((word) => word.startsWith('#')) : []
  const own = aliases.length > 0 ? await ownImports(root, here, aliases) : []
  return [...words.flatMap((word) => byWord(here, word)), ...own]
}

/** What a word may mean: code imports from where it is, what is started is started from the top. */
export const byWord = (folder: string, word: string): string[] =>
  word === '' ? [] : [plain(word), ...places(folder, word), ...(READ_BY[word] ?? [])]

/** The words of commands in data: each short text of one line. Of a manifest only its scripts say what is run. */
function dataWords(path: string, text: string): string[] | undefined {
  if (!DATA.test(path)) return undefined
  const yaml = path.endsWith('.json') ? { value: tryParse(text) } : readYaml(text)
  if (!('value' in yaml) || yaml.value === undefined) return undefined
  const isManifest = path === MANIFEST || path.endsWith(`/${MANIFEST}`)
  return commandWords(isManifest && isObject(yaml.value) ? yaml.value['scripts'] : yaml.value)
}

/** Of code what stands in quotes, and the modules of Python; of scripts of a shell and the like every word. */
function codeWords(path: string, text: string): string[] {
  if (SHELL.test(path)) return [...new Set(text.split(WORD_ENDS).filter((word) => /[./]/.test(word)))]
  const modules = path.endsWith('.py')
    ? [...text.matchAll(PYTHON_IMPORT)].flatMap(([, names = '']) =>
        names.split(/[\s,]+/).map((name) => name.replace(/^\.+/, '').replaceAll('.', '/')),
      )
    : []
  const quoted = [...unescaped(text).matchAll(QUOTED)].map(([, name = '']) => name)
  return [...new Set([...quoted, ...modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`])])]
}

/** Every word of every short text in a value. */
export const commandWords = (value: unknown): string[] =>
  textsIn(value)
    .filter((text) => text.length <= COMMAND_CHARS_MAX && !text.includes('\n'))
    .flatMap((text) => text.split(WORD_ENDS))

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

/** `#name` as the nearest manifest explains it, and that manifest. */
async function ownImports(root: string, folder: string, names: readonly string[]): Promise<string[]> {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, MANIFEST)
    const value = tryParse((await readInside(root, manifest).catch(() => '')).toString())
    if (isObject(value)) {
      const targets = Object.entries(isObject(value['imports']) ? value['imports'] : {}).flatMap(
        ([pattern, target]) =>
          names.flatMap((name) => {
            const star = starOf(pattern, name)
            return star === undefined ? [] : textsIn(target).map((one) => one.replaceAll('*', () => star))
          }),
      )
      return [manifest, ...targets.flatMap((target) => places(at, target))]
    }
    if (at === '.') return []
  }
}

/** What the star of a pattern stands for in a name; undefined where it does not match. */
function starOf(pattern: string, name: string): string | undefined {
  const [before = '', after] = pattern.split('*')
  if (after === undefined) return pattern === name ? '' : undefined
  if (name.length < before.length + after.length) return undefined
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, name.length - after.length)
}

const places = (folder: string, name: string): string[] =>
  ENDINGS.map((ending) => join(folder, name + ending))
const plain = (name: string): string => slashed(join(name))
const slashed = (path: string): string => path.split(sep).join('/')

/** Lines of code that compute what they load or run. */
export function computedIn(path: string, text: string): number[] {
  if (!CODE.test(path)) return []
  return text.split('\n').flatMap((line, at) => (COMPUTED.test(unescaped(line)) ? [at + 1] : []))
}

/** An import whose name is not one text in quotes, code made of text, and what makes further ways to load. */
const COMPUTED =
  /\b(?:import|require)\s*\((?!\s*(?:"[^"]*"|'[^']*'|`[^`$]*`)\s*[,)])|\b(?:eval|Function|createRequire)\s*\(|\bprocess\.(?:binding|dlopen)\b/

/** As JSON and scripts read their texts: letters can be hidden as escapes. */
export const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u\{([0-9a-f]{1,5})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, ...codes: string[]) =>
      String.fromCodePoint(Number.parseInt(codes.find(Boolean) ?? '0', 16)),
    )
    .replace(/\\([/.])/g, '$1')
