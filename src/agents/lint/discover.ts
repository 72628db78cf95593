import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { missingPackage, TwotrackError } from '../../errors.ts'
import { parentOf } from '../../files/ignore.ts'
import { languageNameOf } from '../../nodes/source-path.ts'
import { commandLinter } from './command.ts'
import { formatterIn } from './formatters.ts'
import { KINDS, type LinterKind, TYPE_CHECKERS } from './kinds.ts'
import type { Formatter, Linter } from './linter.ts'
import { nodeProgram, type Program, pythonProgram, type Where } from './programs.ts'
import { isGiven, scriptUse } from './scripts.ts'

type Language = LinterKind['language']

/** Finds what decides over a file. Files that the same tools decide over get the very same objects. */
export class Discovery {
  readonly #where: Where
  readonly #linters = new Map<string, Promise<readonly Linter[]>>()
  readonly #formatters = new Map<string, Promise<Formatter | undefined>>()

  constructor(where: Where) {
    this.#where = where
  }

  /** The project's own linters, of the nearest folder upwards that has any; the bundled one where it has none. */
  linters(path: string): Promise<readonly Linter[]> {
    const language = languageNameOf(path) === 'python' ? 'python' : 'script'
    return this.#lintersAt(parentOf(path) ?? '', language)
  }

  /** The project's own type checkers; none where it has none. */
  async typeCheckers(path: string): Promise<readonly Linter[]> {
    const language = languageNameOf(path) === 'python' ? 'python' : 'script'
    const kinds = TYPE_CHECKERS.filter((kind) => kind.language === language)
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      const signs = await signsIn(this.#where.project, folder, kinds)
      if (signs.length > 0) return lintersOf(this.#where, folder, signs)
    }
    return []
  }

  formatter(path: string): Promise<Formatter | undefined> {
    const language = languageNameOf(path) === 'python' ? 'python' : 'script'
    return this.#formatterAt(parentOf(path) ?? '', language)
  }

  #lintersAt(folder: string, language: Language): Promise<readonly Linter[]> {
    const key = `${language} ${folder}`
    const find = async () => {
      const kinds = KINDS.filter((kind) => kind.language === language)
      const signs = await signsIn(this.#where.project, folder, kinds)
      if (signs.length > 0) return lintersOf(this.#where, folder, signs)
      const above = parentOf(folder)
      return above === undefined ? [await bundled(this.#where, language)] : this.#lintersAt(above, language)
    }
    const found = this.#linters.get(key) ?? find()
    this.#linters.set(key, found)
    return found
  }

  #formatterAt(folder: string, language: Language): Promise<Formatter | undefined> {
    const key = `${language} ${folder}`
    const find = async () => {
      const own = await formatterIn(this.#where, folder, language)
      const above = parentOf(folder)
      return own ?? (above === undefined ? undefined : this.#formatterAt(above, language))
    }
    const found = this.#formatters.get(key) ?? find()
    this.#formatters.set(key, found)
    return found
  }
}

/** A file that says that a linter is used in its folder and below. */
interface Sign {
  readonly kind: LinterKind
  readonly config: string
}

async function signsIn(project: string, folder: string, kinds: readonly LinterKind[]): Promise<Sign[]> {
  const names: string[] = await readdir(join(project, folder)).catch(() => [])
  const text = (name: string) =>
    names.includes(name) ? readFile(join(project, folder, name), 'utf8').catch(() => '') : ''
  const signs: Sign[] = []
  for (const kind of kinds) {
    let config = names.find((name) => kind.files.test(name))
    for (const [name, pattern] of Object.entries(kind.inside ?? {}))
      if (config === undefined && pattern.test(await text(name))) config = name
    if (config === undefined && kind.language === 'script' && scriptUse(await text('package.json'), kind))
      config = 'package.json'
    if (config !== undefined) signs.push({ kind, config: folder === '' ? config : `${folder}/${config}` })
  }
  return signs
}

async function lintersOf(where: Where, folder: string, signs: readonly Sign[]): Promise<Linter[]> {
  const linters: Linter[] = []
  for (const { kind, config } of signs) {
    const program = await programOf(where, folder, kind)
    const told = `${config}${program && kind.name === 'ruff' ? await pinned(where.project, program) : ''}`
    if (program) linters.push(await linterOf(where.project, folder, kind, told, program))
    // The bundled ones are the same linters and read the same configuration.
    else if (kind.name === 'ruff') linters.push(await bundledRuff(where, config))
    else if (kind.name === 'oxlint') linters.push(await bundledOxlint(where, folder, config))
  }
  if (linters.length > 0) return linters
  const names = signs.map(({ kind, config }) => `${kind.name} (${config})`).join(' and ')
  throw new TwotrackError(
    'missing',
    `This project is checked with ${names}, which is not installed here. Install the project's packages, then run again.`,
  )
}

/** A hook that pins another version than the installed one finds other things: rules and defaults change. */
async function pinned(project: string, { version }: Program): Promise<string> {
  const hooks = await readFile(join(project, '.pre-commit-config.yaml'), 'utf8').catch(() => '')
  const [, wanted] = /ruff-pre-commit["']?\s+rev:\s*["']?v?([\d.]+)/.exec(hooks) ?? []
  return wanted === undefined || wanted === version ? '' : `; the project's hook pins ${wanted}`
}

const programOf = (where: Where, folder: string, kind: LinterKind) =>
  kind.package === undefined
    ? pythonProgram(where, kind.name)
    : nodeProgram(where, folder, kind.name, kind.package)

/** Run where the nearest script upwards calls it, with its flags and for its paths. */
async function linterOf(
  project: string,
  folder: string,
  kind: LinterKind,
  config: string,
  program: Program,
): Promise<Linter> {
  const usage = { program, config, folder, command: [], covers: () => true }
  if (kind.language === 'python') return commandLinter(kind, { ...usage, folder: '' })
  for (let at: string | undefined = folder; at !== undefined; at = parentOf(at)) {
    const from = at
    const use = scriptUse(await readFile(join(project, at, 'package.json'), 'utf8').catch(() => ''), kind)
    const covers = (path: string) => isGiven(relative(from, path).split(sep).join('/'), use ? use.paths : [])
    if (use) return commandLinter(kind, { ...usage, folder: at, command: use.command, covers })
  }
  return commandLinter(kind, usage)
}

const bundled = (where: Where, language: Language): Promise<Linter> =>
  language === 'python' ? bundledRuff(where, undefined) : bundledOxlint(where, '', undefined)

const ONE_PASS = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--liftoff-only']

/** Loaded when it is first needed, as the other: each brings some 10 MB. */
async function bundledRuff({ project }: Where, config: string | undefined): Promise<Linter> {
  // Compiled in one pass: optimising it takes four times the time of a run and three times its memory.
  for (const flag of ONE_PASS) setFlagsFromString(flag)
  try {
    return (await import('./bundled-ruff.ts')).bundledRuff(project, config)
  } catch (thrown) {
    throw missingPackage(thrown, 'Linting')
  }
}

async function bundledOxlint(where: Where, folder: string, config: string | undefined): Promise<Linter> {
  try {
    return (await import('./bundled-oxlint.ts')).bundledOxlint(where, folder, config)
  } catch (thrown) {
    throw missingPackage(thrown, 'Linting')
  }
}
