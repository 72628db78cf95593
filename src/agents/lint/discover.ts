import { readdir, readFile } from 'node:fs/promises'
import { join, matchesGlob, posix, relative } from 'node:path'
import { missingPackage, TwotrackError } from '../../errors.ts'
import { parentOf } from '../../files/ignore.ts'
import { commandFormatter, commandLinter } from './command.ts'
import type { Formatter, Linter } from './linter.ts'
import { ownProgram, programOf, type ToolProgram, type Where } from './programs.ts'
import { FORMATTERS, LINTERS, type LinterRow, oxlint, ruff, type ToolRow } from './rows.ts'
import { isGiven, scriptUse, wordsOf } from './scripts.ts'

export interface Discovery {
  /** The project's own linters, of the nearest folder upwards that has any, and the person's; the bundled one where there are none. */
  linters(path: string): Promise<readonly Linter[]>
  formatter(path: string): Promise<Formatter | undefined>
  /** Linters that were met, are configured and can't be asked. */
  readonly absent: ReadonlySet<string>
}

/** A file that says that a tool is used in its folder and below. */
interface Sign<Row> {
  readonly row: Row
  readonly folder: string
  readonly config: string
}

/** Files that tell how a project is checked. */
const TELLING = [
  ...['package.json', 'pyproject.toml', 'setup.cfg', 'tox.ini', '.pre-commit-config.yaml', 'noxfile.py'],
  ...['Makefile', 'justfile', 'scripts/check', 'scripts/lint'],
]

/** Finds what decides over a file. Files that the same tools decide over get the very same objects. */
export function discovery(where: Where): Discovery {
  const { project, checks = [] } = where
  const named = checks.map(({ name }) => name)
  const known = LINTERS.filter(({ name }) => !named.includes(name))
  const all = [...known, ...FORMATTERS, ...checks]
  const inFolder = once<readonly Sign<ToolRow>[]>()
  const lists = once<readonly Linter[]>()
  const formatters = once<Formatter | undefined>()
  const absent = new Set<string>()

  /** What the nearest folder says, from a file's own upwards. */
  const nearest = async <Row extends ToolRow>(path: string, rows: readonly Row[]): Promise<Sign<Row>[]> => {
    for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      const at = folder
      const signs = await inFolder(at, () => signsIn(project, at, all))
      const own = rows.filter((row) => isFor(row, path))
      const found = own.flatMap((row) => signs.flatMap((sign) => (sign.row === row ? { ...sign, row } : [])))
      if (found.length > 0) return found
    }
    return []
  }
  const keyOf = (signs: readonly Sign<ToolRow>[]) =>
    signs.map(({ row, folder }) => `${row.name} ${folder}`).join()

  return {
    absent,
    async linters(path) {
      const own: LinterRow[] = []
      for (const row of checks.filter((one) => isFor(one, path)))
        if (row.markers === undefined || (await nearest(path, [row])).length > 0) own.push(row)
      const signs = await nearest(path, known)
      const wanted = [
        ...own.map((row) => ({ row, folder: '', config: 'checks of twotrack.yaml' })),
        ...signs.filter(({ row }) => !own.includes(row)),
      ]
      if (wanted.length > 0)
        return lists(keyOf(wanted), () => lintersOf(wanted, absent, (sign) => linterOf(where, sign)))
      const row = isFor(ruff, path) ? ruff : oxlint
      return lists(row.name, async () => [(await bundled(where, row, '', undefined)) ?? []].flat())
    },
    async formatter(path) {
      const signs = await nearest(path, FORMATTERS)
      return formatters(keyOf(signs), async () => {
        for (const { row, folder, config } of signs) {
          const program = await programOf(where, folder, row)
          if (program) return commandFormatter({ row, program, config, folder, covers: () => true })
        }
        return undefined
      })
    },
  }
}

function once<Found>(): (key: string, find: () => Promise<Found>) => Promise<Found> {
  const known = new Map<string, Promise<Found>>()
  return (key, find) => {
    const found = known.get(key) ?? find()
    known.set(key, found)
    return found
  }
}

const isFor = ({ files }: ToolRow, path: string): boolean =>
  matchesGlob(files.includes('/') ? path : posix.basename(path).replace(/^\.+/, ''), files)

const readOr = (...parts: [string, ...string[]]): Promise<string> =>
  readFile(join(...parts), 'utf8').catch(() => '')

async function signsIn(
  project: string,
  folder: string,
  rows: readonly ToolRow[],
): Promise<readonly Sign<ToolRow>[]> {
  const names: string[] = await readdir(join(project, folder)).catch(() => [])
  const telling: [string, string][] = []
  for (const name of TELLING)
    if (names.includes(name.split('/')[0] ?? name))
      telling.push([name, `\n${await readOr(project, folder, name)}`])
  // The head of a table begins its line; elsewhere it is a word about it.
  const says = (text: string, word: string) => text.includes(word.startsWith('[') ? `\n${word}` : word)
  return rows.flatMap((row) => {
    const { markers = [], mentioned = [] } = row
    const config =
      names.find((name) => markers.some((marker) => matchesGlob(name, marker))) ??
      telling.find(([, text]) => mentioned.some((word) => says(text, word)))?.[0] ??
      telling.find(([name, text]) => name === 'package.json' && 'valued' in row && scriptUse(text, row))?.[0]
    return config === undefined ? [] : { row, folder, config: posix.join(folder, config) }
  })
}

/** Those that can be asked. One that can't is noted; where none is left, nobody looked. */
async function lintersOf(
  signs: readonly Sign<LinterRow>[],
  absent: Set<string>,
  find: (sign: Sign<LinterRow>) => Promise<Linter | undefined>,
): Promise<readonly Linter[]> {
  const linters: Linter[] = []
  const missing: string[] = []
  for (const sign of signs) {
    const linter = await find(sign)
    if (linter) linters.push(linter)
    else missing.push(`${sign.row.name} (${sign.config})`)
  }
  if (linters.length === 0)
    throw new TwotrackError(
      'missing',
      `This project is checked with ${missing.join(' and ')}, which is not installed here. Install the project's packages, then run again.`,
    )
  for (const one of missing) absent.add(one)
  return linters
}

async function linterOf(where: Where, sign: Sign<LinterRow>): Promise<Linter | undefined> {
  const { row, folder, config } = sign
  const isOwn = where.checks?.some((check) => check === row)
  const program = isOwn
    ? await ownProgram(where, wordsOf(row.check)[0] ?? '')
    : await programOf(where, folder, row)
  if (program) return commandLinter({ ...(await scriptedUse(where.project, sign, program)), row, program })
  // The bundled ones are the same linters and read the same configuration.
  return row === ruff || row === oxlint ? bundled(where, row, folder, config) : undefined
}

/** As the nearest script upwards calls it, with its flags and for its paths. */
async function scriptedUse(
  project: string,
  { row, folder, config }: Sign<LinterRow>,
  { version }: ToolProgram,
) {
  for (
    let at: string | undefined = folder;
    at !== undefined && row.package !== undefined;
    at = parentOf(at)
  ) {
    const from = at
    const use = scriptUse(await readOr(project, at, 'package.json'), row)
    const covers = (path: string) => isGiven(relative(from, path).replaceAll('\\', '/'), use ? use.paths : [])
    if (use) return { folder: at, config, covers, flags: use.flags, subcommand: use.subcommand }
  }
  const covers = (path: string) => isFor(row, path)
  const pinned = row.unpinned && (await pinnedBy(project, row.unpinned.hook))
  if (!row.unpinned || pinned === undefined || pinned === version) return { folder, config, covers }
  const { unless, add } = row.unpinned
  const told = `${config}; the project's hook pins ${pinned}`
  if ((await readOr(project, config)).includes(unless)) return { folder, config: told, covers }
  return { folder, config: `${told}, and no rules are named: ${add}`, covers, flags: [add] }
}

/** `rev: v0.15.9`, or a commit with `# frozen: v0.15.9` behind it. */
async function pinnedBy(project: string, hook: string): Promise<string | undefined> {
  const text = await readOr(project, '.pre-commit-config.yaml')
  const rev = text.slice(text.indexOf(hook) + hook.length)
  if (!text.includes(hook)) return undefined
  return /^["']?\s+rev:\s*(?:[\da-f]{40}\s*# frozen: |["'])?v?(\d+\.[\d.]+)/.exec(rev)?.[1]
}

/** Loaded when it is first needed: each brings some 10 MB. */
async function bundled(
  where: Where,
  row: LinterRow,
  folder: string,
  config: string | undefined,
): Promise<Linter | undefined> {
  try {
    return row === ruff
      ? await (await import('./bundled-ruff.ts')).bundledRuff(where.project, config)
      : (await import('./bundled-oxlint.ts')).bundledOxlint(where, folder, config)
  } catch (thrown) {
    throw missingPackage(thrown, 'Linting')
  }
}
