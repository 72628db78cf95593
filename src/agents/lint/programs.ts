import { constants } from 'node:fs'
import { access, readFile, realpath } from 'node:fs/promises'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { tryParse } from '../../core/event/json.ts'
import { isWithin } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { IgnoreRules, parentOf } from '../../files/ignore.ts'
import { walk } from '../../files/walk.ts'
import { requireTrust, type TrustRequest, type Trusts } from '../../trust/trust.ts'
import { collectCommand } from '../collect-command.ts'
import { pluginRequests } from './plugins.ts'

/** Where a project's tools are looked for. */
export interface Where {
  /** The project itself: its environments have the programs. */
  readonly project: string
  readonly signal: AbortSignal
  /** What of the project may run. */
  readonly trusts?: Trusts
}

/** A program of the project's environment. */
export interface Program {
  /** Absolute. */
  readonly file: string
  readonly version: string
}

const ENVIRONMENTS = ['.venv', 'venv', 'env']
/** Every program of a project that linting may run. */
const PROGRAMS = [
  ...['ruff', 'flake8', 'pylint', 'black', 'mypy', 'pyright'],
  ...['eslint', 'xo', 'biome', 'oxlint', 'prettier', 'oxfmt', 'tsc'],
]

/** Programs that are installed in a project, what they load and what configures them: no digest could cover it. */
const projectTools: TrustRequest = {
  kind: 'linter',
  name: 'of this project',
  text: 'The linters, formatters and type checkers that are installed or configured in this project (node_modules, .venv, pylint, flake8, mypy), their configuration, their plugins and all code that these load, as it is now and as it will be, run with your rights.\n',
}

/** Their configuration can name code of the project that they then load: also where they are installed elsewhere. */
const LOADS_CODE = ['flake8', 'pylint', 'mypy']
const CONFIGURES_THEM =
  /^(?:\.flake8|setup\.cfg|tox\.ini|pyproject\.toml|\.?mypy\.ini|\.?pylintrc(?:\.toml)?)$/

/** Asks for trust in the project's tools where it has any installed or configured, and in plugins. */
export async function toolRequests(project: string): Promise<TrustRequest[]> {
  const { found } = await walk(project, IgnoreRules.of(project), {
    wanted: (name) => name === 'package.json' || CONFIGURES_THEM.test(name),
  })
  const paths = found.map(({ path }) => path)
  const plugins = await pluginRequests(project)
  const asks = (await hasTools(project, paths)) || (await configuresThem(project, paths))
  return asks ? [projectTools, ...plugins] : plugins
}

async function hasTools(project: string, paths: readonly string[]): Promise<boolean> {
  const folders = [
    ...['', ...paths.map((path) => parentOf(path) ?? '')].map((at) => `${at}/node_modules/.bin`),
    ...ENVIRONMENTS.map((environment) => `${environment}/bin`),
  ]
  for (const folder of new Set(folders))
    for (const name of PROGRAMS) if (await isExecutable(join(project, folder, name))) return true
  return false
}

async function configuresThem(project: string, paths: readonly string[]): Promise<boolean> {
  for (const path of paths.filter((path) => CONFIGURES_THEM.test(basename(path)))) {
    const text = await readInside(project, path).catch(() => '')
    if (LOADS_CODE.some((name) => path.includes(name) || text.includes(name))) return true
  }
  return false
}

/** The program of a package in the nearest `node_modules` at or above a folder of the project. */
export async function nodeProgram(
  where: Where,
  folder: string,
  name: string,
  packageName: string,
): Promise<Program | undefined> {
  const { project } = where
  for (let at: string | undefined = folder; at !== undefined; at = parentOf(at)) {
    const modules = join(project, at, 'node_modules')
    const file = join(modules, '.bin', name)
    if (!(await isExecutable(file))) continue
    requireTrust(where, projectTools)
    return { file, version: await packageVersion(modules, packageName) }
  }
  return undefined
}

/** The program of the project's Python environment, or one of the PATH; it has to tell its version. */
export async function pythonProgram(where: Where, name: string): Promise<Program | undefined> {
  const { project, signal } = where
  const active = process.env['VIRTUAL_ENV']
  const folders = [
    ...ENVIRONMENTS.map((environment) => join(project, environment, 'bin')),
    ...(active === undefined ? [] : [join(active, 'bin')]),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  for (const folder of folders.filter(isAbsolute)) {
    const file = join(folder, name)
    if (!(await isExecutable(file))) continue
    const isOwn = isWithin(project, file) || isWithin(await realpath(project), await realpath(file))
    if (isOwn || LOADS_CODE.includes(name)) requireTrust(where, projectTools)
    const allow = [{ program: file, starts: ['--version'] }]
    const told = await collectCommand([file, '--version'], { root: project, allow, signal })
    const version = told.exit_code === 0 ? /\d+\.\d+[\w.]*/.exec(told.stdout)?.[0] : undefined
    if (version !== undefined) return { file, version }
  }
  return undefined
}

async function packageVersion(modules: string, name: string): Promise<string> {
  const text = await readFile(join(modules, name, 'package.json'), 'utf8').catch(() => '')
  const { version } = Object(tryParse(text))
  return typeof version === 'string' ? version : '(version unknown)'
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
