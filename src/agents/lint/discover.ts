import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { missingPackage, TwotrackError } from '../../errors.ts'
import { parentOf } from '../../files/ignore.ts'
import { languageNameOf } from '../../nodes/source-path.ts'
import { namesRules, PLAIN_RULES, ruffConfigIn } from '../ruff-config.ts'
import { commandFormatter, commandLinter } from './command.ts'
import { FORMATTERS } from './formatters.ts'
import { KINDS, type LinterKind, type ToolKind, TYPE_CHECKERS } from './kinds.ts'
import type { Formatter, Linter } from './linter.ts'
import { nodeProgram, type Program, pythonProgram, type Where } from './programs.ts'
import { isGiven, scriptUse } from './scripts.ts'

type Language = ToolKind['language']

export interface Discovery {
  /** The project's own linters, of the nearest folder upwards that has any; the bundled one where it has none. */
  linters(path: string): Promise<readonly Linter[]>
  /** The project's own type checkers; none where it has none. */
  typeCheckers(path: string): Promise<readonly Linter[]>
  formatter(path: string): Promise<Formatter | undefined>
}

/** Finds what decides over a file. Files that the same tools decide over get the very same objects. */
export function discovery(where: Where): Discovery {
  const own = (kinds: readonly LinterKind[]) => async (folder: string, language: Language) => {
    const signs = await signsIn(where.project, folder, language, kinds)
    return signs.length > 0 ? lintersOf(where, folder, signs) : undefined
  }
  const linters = upwards(own(KINDS), async (language) => [await bundled(where, language)])
  const typeCheckers = upwards(own(TYPE_CHECKERS), async (): Promise<Linter[]> => [])
  const formatter = upwards(
    (folder, language) => formatterIn(where, folder, language),
    async (): Promise<Formatter | undefined> => undefined,
  )
  return { linters, typeCheckers, formatter }
}

/** What the nearest folder has, from a file's own upwards; each folder is looked at once. */
function upwards<Found>(
  find: (folder: string, language: Language) => Promise<Found | undefined>,
  orElse: (language: Language) => Promise<Found>,
): (path: string) => Promise<Found> {
  const known = new Map<string, Promise<Found>>()
  const at = (folder: string, language: Language): Promise<Found> => {
    const above = parentOf(folder)
    const search = async () =>
      (await find(folder, language)) ?? (above === undefined ? orElse(language) : at(above, language))
    const key = `${language} ${folder}`
    const found = known.get(key) ?? search()
    known.set(key, found)
    return found
  }
  return (path) => at(parentOf(path) ?? '', languageNameOf(path) === 'python' ? 'python' : 'script')
}

/** A file that says that a tool is used in its folder and below. */
interface Sign<Kind> {
  readonly kind: Kind
  readonly config: string
}

async function signsIn<Kind extends ToolKind>(
  project: string,
  folder: string,
  language: Language,
  kinds: readonly Kind[],
): Promise<Sign<Kind>[]> {
  const names: string[] = await readdir(join(project, folder)).catch(() => [])
  const text = (name: string) =>
    names.includes(name.split('/')[0] ?? name)
      ? readFile(join(project, folder, name), 'utf8').catch(() => '')
      : ''
  const signs: Sign<Kind>[] = []
  for (const kind of kinds.filter((one) => one.language === language)) {
    let config = names.find((name) => kind.files?.test(name))
    for (const [name, pattern] of Object.entries(kind.inside ?? {}))
      if (config === undefined && pattern.test(await text(name))) config = name
    if (config === undefined && kind.valued && scriptUse(await text('package.json'), kind))
      config = 'package.json'
    if (config !== undefined) signs.push({ kind, config: folder === '' ? config : `${folder}/${config}` })
  }
  return signs
}

async function lintersOf(
  where: Where,
  folder: string,
  signs: readonly Sign<LinterKind>[],
): Promise<Linter[]> {
  const linters: Linter[] = []
  for (const { kind, config } of signs) {
    const program = await programOf(where, folder, kind)
    if (program && kind.name === 'ruff')
      linters.push(await ownRuff(where.project, folder, kind, config, program))
    else if (program) linters.push(await linterOf(where.project, folder, kind, config, program))
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

/** The first that a folder says it uses and that is installed. */
async function formatterIn(where: Where, folder: string, language: Language): Promise<Formatter | undefined> {
  for (const { kind, config } of await signsIn(where.project, folder, language, FORMATTERS)) {
    const program = await programOf(where, folder, kind)
    const own = language === 'python' ? '' : folder
    if (program) return commandFormatter(kind, { ...usageOf(program, config), folder: own })
  }
  return undefined
}

/**
 * A hook that pins another version than the installed one finds other things: the rules that count by default change. Where
 * a project names none, only those count that every version has.
 */
async function ownRuff(
  project: string,
  folder: string,
  kind: LinterKind,
  config: string,
  program: Program,
): Promise<Linter> {
  const wanted = await pinnedRuff(project)
  if (wanted === undefined || wanted === program.version) return commandLinter(kind, usageOf(program, config))
  const told = `${config}; the project's hook pins ${wanted}`
  if (namesRules((await ruffConfigIn(project, folder)).options))
    return commandLinter(kind, usageOf(program, told))
  const usage = usageOf(program, `${told}, and no rules are named: ${PLAIN_RULES.join(', ')}`)
  return commandLinter(kind, { ...usage, command: [`--select=${PLAIN_RULES.join(',')}`] })
}

/** `rev: v0.15.9`, or a commit with `# frozen: v0.15.9` behind it. */
async function pinnedRuff(project: string): Promise<string | undefined> {
  const hooks = await readFile(join(project, '.pre-commit-config.yaml'), 'utf8').catch(() => '')
  return /ruff-pre-commit["']?\s+rev:\s*(?:[\da-f]{40}\s*# frozen: |["'])?v?(\d+\.[\d.]+)/.exec(hooks)?.[1]
}

const programOf = (where: Where, folder: string, kind: ToolKind) =>
  kind.package === undefined
    ? pythonProgram(where, kind.name)
    : nodeProgram(where, folder, kind.name, kind.package)

const usageOf = (program: Program, config: string) =>
  ({ program, config, folder: '', command: [], covers: () => true }) as const

/** Run where the nearest script upwards calls it, with its flags and for its paths. */
async function linterOf(
  project: string,
  folder: string,
  kind: LinterKind,
  config: string,
  program: Program,
): Promise<Linter> {
  const usage = usageOf(program, config)
  if (kind.language === 'python') return commandLinter(kind, usage)
  for (let at: string | undefined = folder; at !== undefined; at = parentOf(at)) {
    const from = at
    const use = scriptUse(await readFile(join(project, at, 'package.json'), 'utf8').catch(() => ''), kind)
    const covers = (path: string) => isGiven(relative(from, path).split(sep).join('/'), use ? use.paths : [])
    if (use) return commandLinter(kind, { ...usage, folder: at, command: use.command, covers })
  }
  return commandLinter(kind, { ...usage, folder })
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
