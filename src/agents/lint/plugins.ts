import { realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isWithin, lstatOrAbsent } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { IgnoreRules } from '../../files/ignore.ts'
import { walk } from '../../files/walk.ts'
import { filesText, unescaped } from '../../trust/files.ts'
import { requireTrust, type TrustRequest, type Trusts } from '../../trust/trust.ts'

const CONFIGURATION = /^(?:\.oxlintrc\.jsonc?|oxlint\.config\.[cm]?[jt]s)$/
const NAMES = [
  ...['.oxlintrc.json', '.oxlintrc.jsonc'],
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `oxlint.config.${ending}`),
]

/** Every configuration of oxlint in a project that loads code. */
export async function pluginRequests(project: string): Promise<TrustRequest[]> {
  const { found } = await walk(project, IgnoreRules.of(project), {
    wanted: (name) => CONFIGURATION.test(name),
  })
  // One at the top is found from every workspace, also where git ignores it.
  return requestsFor(project, [...new Set([...NAMES, ...found.map(({ path }) => path)])])
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
    const paths = NAMES.map((name) => relative(root, join(folder, name)).split(sep).join('/'))
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
