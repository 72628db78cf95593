import { mkdir, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isWithin, lstatOrAbsent } from '../files/confine.ts'
import type { FoundFile } from '../files/walk.ts'

/** What tools write into an installed-packages folder: never linked, so that it stays in the workspace. */
const CACHES = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp'])

/**
 * Makes folders of installed packages (`node_modules`, `.venv`) reachable in a copy: those at the top, and those of the
 * packages in it. Gives the names of those at the top that are there.
 */
export async function linkFolders(
  top: string,
  root: string,
  names: readonly string[],
  found: readonly FoundFile[],
): Promise<string[]> {
  const linked: string[] = []
  for (const name of names) if (await linkFolder(top, root, name)) linked.push(name)
  const packages = found.filter(({ path }) => path.endsWith('/package.json')).map(({ path }) => dirname(path))
  if (names.includes('node_modules'))
    for (const path of packages) await linkFolder(top, root, `${path}/node_modules`)
  return linked
}

/**
 * The folder itself is the workspace's own and only its entries are links: what tools add to it does not reach the
 * project. An entry that leads to a package of the project leads to the workspace's copy of it.
 */
async function linkFolder(top: string, root: string, path: string): Promise<boolean> {
  const [from, to] = [join(top, path), join(root, path)]
  const wanted = (await isFolder(from)) ? await linksOf(top, path) : undefined
  if (wanted && (await holds(to, wanted))) return true
  await rm(to, { recursive: true, force: true })
  if (!wanted) return false
  await mkdir(to, { recursive: true })
  for (const [name, target] of wanted) {
    if (name.includes('/')) await mkdir(dirname(join(to, name)), { recursive: true })
    await symlink(target, join(to, name))
  }
  return true
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstatOrAbsent(path)) !== undefined && (await stat(path)).isDirectory()

/** Name → where it leads. A scope (`@name`) that holds packages of the project is taken apart. */
async function linksOf(top: string, path: string): Promise<Map<string, string>> {
  const links = new Map<string, string>()
  const at = join(top, path)
  for (const entry of await readdir(at, { withFileTypes: true })) {
    if (CACHES.has(entry.name)) continue
    const scope = entry.name.startsWith('@') && entry.isDirectory() ? await readdir(join(at, entry.name)) : []
    const names = scope.map((name) => `${entry.name}/${name}`)
    const scoped = await Promise.all(names.map((name) => ownTarget(top, path, name)))
    if (scoped.some((target) => target !== undefined))
      for (const [index, name] of names.entries()) links.set(name, scoped[index] ?? join(at, name))
    else links.set(entry.name, (await ownTarget(top, path, entry.name)) ?? join(at, entry.name))
  }
  return links
}

/** Where a link leads in the copy, if that is a package of the project; relative, since copies are moved. */
async function ownTarget(top: string, path: string, name: string): Promise<string | undefined> {
  const link = join(top, path, name)
  const target = (await lstatOrAbsent(link))?.isSymbolicLink()
    ? await realpath(link).catch(() => undefined)
    : undefined
  if (target === undefined || target === top || !isWithin(top, target)) return undefined
  const inside = relative(top, target)
  return inside.split(sep).includes('node_modules') ? undefined : relative(dirname(join(path, name)), inside)
}

async function holds(folder: string, wanted: ReadonlyMap<string, string>): Promise<boolean> {
  if (!(await lstatOrAbsent(folder))?.isDirectory()) return false
  const tops = new Set([...wanted.keys()].map((name) => name.split('/')[0]))
  if ((await readdir(folder)).some((name) => !tops.has(name))) return false
  for (const [name, target] of wanted)
    if ((await readlink(join(folder, name)).catch(() => undefined)) !== target) return false
  return true
}
