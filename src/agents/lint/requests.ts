import { basename, join } from 'node:path'
import { readInside } from '../../files/files.ts'
import { IgnoreRules, parentOf } from '../../files/ignore.ts'
import { walk } from '../../files/walk.ts'
import type { TrustRequest } from '../../trust/trust.ts'
import { ENVIRONMENTS, isExecutable, projectTools } from './programs.ts'
import { FORMATTERS, LINTERS } from './rows.ts'

const TOOLS = [...LINTERS, ...FORMATTERS]
const LOADING = TOOLS.filter(({ loadsCode }) => loadsCode).map(({ name }) => name)
const CONFIGURES_THEM = /^(?:\.flake8|setup\.cfg|tox\.ini|pyproject\.toml|\.?pylintrc(?:\.toml)?)$/

/** Asks for trust in the project's tools where it has any installed or configured. */
export async function toolRequests(project: string): Promise<TrustRequest[]> {
  const { found } = await walk(project, IgnoreRules.of(project), {
    wanted: (name) => name === 'package.json' || CONFIGURES_THEM.test(name),
  })
  const paths = found.map(({ path }) => path)
  return (await hasTools(project, paths)) || (await configuresThem(project, paths)) ? [projectTools] : []
}

async function hasTools(project: string, paths: readonly string[]): Promise<boolean> {
  const folders = [
    ...['', ...paths.map((path) => parentOf(path) ?? '')].map((at) => `${at}/node_modules/.bin`),
    ...ENVIRONMENTS.map((environment) => `${environment}/bin`),
  ]
  for (const folder of new Set(folders))
    for (const { name } of TOOLS) if (await isExecutable(join(project, folder, name))) return true
  return false
}

async function configuresThem(project: string, paths: readonly string[]): Promise<boolean> {
  for (const path of paths.filter((path) => CONFIGURES_THEM.test(basename(path)))) {
    const text = await readInside(project, path).catch(() => '')
    if (LOADING.some((name) => path.includes(name) || text.includes(name))) return true
  }
  return false
}
