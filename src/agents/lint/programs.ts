import { constants } from 'node:fs'
import { access, readFile, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { CheckRow } from '../../config/checks.ts'
import { tryParse } from '../../core/event/json.ts'
import { isWithin } from '../../files/confine.ts'
import { programFolders } from '../../files/harmless-environment.ts'
import { parentOf } from '../../files/ignore.ts'
import { requireTrust, type TrustRequest, type Trusts } from '../../trust/trust.ts'
import { collectCommand } from '../collect-command.ts'
import type { ToolRow } from './rows.ts'

export interface Where {
  /** The project itself: its environments have the programs. */
  readonly project: string
  readonly signal: AbortSignal
  /** What of the project may run. */
  readonly trusts?: Trusts
  /** What the person adds to the linters that are known here. */
  readonly checks?: readonly CheckRow[]
}

/** A program of the project's environment, or a bundled one. */
export interface ToolProgram {
  /** Absolute. */
  readonly file: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly version: string
  /** Its name, where it is not that of the row. */
  readonly label?: string
}

export const ENVIRONMENTS = ['.venv', 'venv', 'env']

/** Programs that are installed in a project, what they load and what configures them: no digest could cover it. */
export const projectTools: TrustRequest = {
  kind: 'linter',
  name: 'of this project',
  text: 'The linters and formatters that are installed or configured in this project (node_modules, .venv, pylint, flake8), their configuration, their plugins and all code that these load, as it is now and as it will be, run with your rights.\n',
}

/** The program of a row: of the nearest `node_modules`, of the project's Python environment or the PATH. */
export async function programOf(
  where: Where,
  folder: string,
  row: ToolRow,
): Promise<ToolProgram | undefined> {
  const { project, signal } = where
  const { name } = row
  const { modules, others } = programPlaces(project, folder)
  for (const at of modules) {
    const file = join(at, '.bin', name)
    if (!(await isExecutable(file))) continue
    requireTrust(where, projectTools)
    return { file, version: await packageVersion(at, row.package ?? name) }
  }
  for (const at of row.package === undefined ? others : []) {
    const file = join(at, name)
    if (!(await isExecutable(file))) continue
    const isOwn = isWithin(project, file) || isWithin(await realpath(project), await realpath(file))
    if (isOwn || row.loadsCode) requireTrust(where, projectTools)
    const allow = [{ program: file, starts: ['--version'] }]
    const told = await collectCommand([file, '--version'], { root: project, allow, signal })
    const version = told.exit_code === 0 ? /\d+\.\d+[\w.]*/.exec(told.stdout)?.[0] : undefined
    if (version !== undefined) return { file, version }
  }
  return undefined
}

/** The program that a check of the person names: as they wrote it, in the project's environments, or on the PATH. */
export async function ownProgram({ project }: Where, word: string): Promise<ToolProgram | undefined> {
  const { modules, others } = programPlaces(project, '')
  const files = word.includes('/')
    ? [isAbsolute(word) ? word : join(project, word)]
    : [...modules.map((at) => join(at, '.bin')), ...others].map((at) => join(at, word))
  for (const file of files) if (await isExecutable(file)) return { file, version: '' }
  return undefined
}

function programPlaces(project: string, folder: string): { modules: string[]; others: string[] } {
  const modules: string[] = []
  for (let at: string | undefined = folder; at !== undefined; at = parentOf(at))
    modules.push(join(project, at, 'node_modules'))
  const active = process.env['VIRTUAL_ENV']
  const others = [
    ...ENVIRONMENTS.map((environment) => join(project, environment, 'bin')),
    ...(active === undefined ? [] : [join(active, 'bin')]),
    ...programFolders(process.env),
  ]
  return { modules, others }
}

async function packageVersion(modules: string, name: string): Promise<string> {
  const text = await readFile(join(modules, name, 'package.json'), 'utf8').catch(() => '')
  const { version } = Object(tryParse(text))
  return typeof version === 'string' ? version : '(version unknown)'
}

export const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
