import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isWithin, lstatOrAbsent } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { IgnoreRules, parentOf } from '../../files/ignore.ts'
import { walk } from '../../files/walk.ts'
import { filesText, unescaped } from '../../trust/files.ts'
import { requireTrust, type TrustRequest, type Trusts } from '../../trust/trust.ts'
import { ENVIRONMENTS, isExecutable, projectTools } from './programs.ts'
import { FORMATTERS, LINTERS, TYPE_CHECKERS } from './rows.ts'

const TOOLS = [...LINTERS, ...TYPE_CHECKERS, ...FORMATTERS]
const LOADING = TOOLS.filter(({ loadsCode }) => loadsCode).map(({ name }) => name)
const CONFIGURES_THEM =
  /^(?:\.flake8|setup\.cfg|tox\.ini|pyproject\.toml|\.?mypy\.ini|\.?pylintrc(?:\.toml)?)$/
const OXLINT = /^(?:\.oxlintrc\.jsonc?|oxlint\.config\.[cm]?[jt]s)$/
const OXLINT_NAMES = [
  ...['.oxlintrc.json', '.oxlintrc.jsonc'],
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `oxlint.config.${ending}`),
]

/** Asks for trust in the project's tools where it has any installed or configured, and in each configuration that loads code. */
export async function toolRequests(project: string): Promise<TrustRequest[]> {
  const { found } = await walk(project, IgnoreRules.of(project), {
    wanted: (name) => name === 'package.json' || CONFIGURES_THEM.test(name) || OXLINT.test(name),
  })
  const paths = found.map(({ path }) => path)
  const asks = (await hasTools(project, paths)) || (await configuresThem(project, paths))
  // One at the top is found from every workspace, also where git ignores it.
  const configurations = new Set([...OXLINT_NAMES, ...paths.filter((path) => OXLINT.test(basename(path)))])
  return [...(asks ? [projectTools] : []), ...(await requestsFor(project, [...configurations]))]
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

/**
 * Throws unless each configuration on the way to a file that loads code is trusted as it is now: in the workspace, and in
 * the folders of the project that the workspace is in, where oxlint goes on looking.
 */
export async function requirePlugins(place: {
  readonly workspace: string
  readonly project: string
  readonly path: string
  readonly trusts?: Trusts
}): Promise<void> {
  const [workspace, project] = [await realpath(place.workspace), await realpath(place.project)]
  for (let folder = dirname(join(workspace, place.path)); ; folder = dirname(folder)) {
    const isInside = isWithin(workspace, folder)
    if (!isInside && !isWithin(project, folder)) return
    const root = isInside ? workspace : project
    const paths = OXLINT_NAMES.map((name) => relative(root, join(folder, name)).split(sep).join('/'))
    for (const request of await requestsFor(root, paths)) requireTrust(place, request)
  }
}

async function requestsFor(root: string, paths: readonly string[]): Promise<TrustRequest[]> {
  const requests: TrustRequest[] = []
  for (const path of paths) {
    if (!(await lstatOrAbsent(join(root, path)))) continue
    // What can't be looked at is no reason to load it: a link, a file that is too large, one among the records.
    if (loadsCode(path, (await readInside(root, path)).toString()))
      requests.push({ kind: 'linter', name: path, text: await filesText(root, [path]) })
  }
  return requests
}

/** A program; or one that names plugins, or another configuration, which may name some. JSON can hide letters as escapes. */
function loadsCode(path: string, text: string): boolean {
  if (!path.includes('.oxlintrc.')) return true
  const plain = unescaped(text)
  return plain.includes('jsPlugins') || plain.includes('extends')
}
