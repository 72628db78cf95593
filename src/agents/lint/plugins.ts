import { dirname } from 'node:path'
import type { TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import { IgnoreRules } from '../../files/ignore.ts'
import { walk } from '../../files/walk.ts'
import { filesText } from '../../trust/files.ts'
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
  return requestsFor(
    project,
    found.map(({ path }) => path),
  )
}

/** Throws unless each configuration on the way to a file that loads code is trusted as it is in the workspace now. */
export async function requirePlugins(place: {
  readonly workspace: string
  readonly path: string
  readonly trusts?: Trusts
}): Promise<void> {
  const folders: string[] = []
  for (let folder = dirname(place.path); ; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === '.') break
  }
  const paths = folders.flatMap((folder) =>
    NAMES.map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  )
  for (const request of await requestsFor(place.workspace, paths)) requireTrust(place, request)
}

async function requestsFor(root: string, paths: readonly string[]): Promise<TrustRequest[]> {
  const requests: TrustRequest[] = []
  for (const path of paths) {
    const bytes = await readInside(root, path).catch((thrown: TwotrackError) => {
      if (thrown.code !== 'missing') throw thrown
    })
    if (bytes && loadsCode(path, bytes.toString()))
      requests.push({ kind: 'linter', name: path, text: await filesText(root, [path]) })
  }
  return requests
}

/** A program; or one that names plugins, or another configuration, which may name some. JSON can hide letters as escapes. */
function loadsCode(path: string, text: string): boolean {
  if (!path.includes('.oxlintrc.')) return true
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return plain.includes('jsPlugins') || plain.includes('extends')
}
