import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { codeOf } from '../errors.ts'
import { isWithin, lstatOrAbsent } from '../files/confine.ts'
import { tooLarge } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { type Found, type Skipped, walk } from '../files/walk.ts'
import { WORKSPACE_FILE_BYTES_MAX, WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { atOnce } from './at-once.ts'
import { type Entry, entryAt, type Manifest } from './manifest.ts'

/** What tools write into an installed-packages folder: never linked, so that it stays in the workspace. */
const CACHES = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp'])

/**
 * Copies a project into the empty folder `root`. Each file is a copy of its own: a reflink where the disk has
 * them, else the bytes. Hard links are never used, since a tool that writes in place would write the project.
 */
export async function copyProject(
  project: string,
  root: string,
  options: { id: string; link: readonly string[]; leaveOut: readonly string[] },
): Promise<Manifest> {
  const top = await realpath(project)
  const ignored = IgnoreRules.of(top, [...options.link, ...options.leaveOut])
  const { found, skipped } = await walk(top, ignored)
  await makeFolders(root, found)
  const copied = await atOnce(found, WORKSPACE_FILES_AT_ONCE, (one) => copyOne(top, root, one))
  const linked: string[] = []
  for (const path of options.link) if (await linkFolder(join(top, path), join(root, path))) linked.push(path)
  return {
    v: 1,
    id: options.id,
    linked,
    ignore_files: [...ignored.files],
    skipped: [...skipped, ...copied.filter((one) => 'reason' in one)],
    files: copied.filter((one) => 'sha256' in one),
  }
}

async function makeFolders(root: string, found: readonly Found[]): Promise<void> {
  for (const folder of new Set(found.map(({ path }) => dirname(path)))) {
    await mkdir(join(root, folder), { recursive: true })
  }
}

async function copyOne(top: string, root: string, { path, kind }: Found): Promise<Entry | Skipped> {
  const [from, to] = [join(top, path), join(root, path)]
  try {
    if (kind === 'link') {
      const target = await readlink(from)
      if (isAbsolute(target) || !isWithin(top, resolve(dirname(from), target)))
        return { path, reason: 'a link that leads out of the project' }
      await symlink(target, to)
    } else {
      const { size } = await stat(from)
      if (size > WORKSPACE_FILE_BYTES_MAX) return { path, reason: tooLarge(path, size).message }
      await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    }
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT') return { path, reason: 'it vanished while it was copied' }
    if (code === 'EACCES' || code === 'EPERM') return { path, reason: 'it may not be read' }
    throw thrown
  }
  // The copy is hashed, not the original: the manifest then says what is in the workspace, whatever changed meanwhile.
  const entry = await entryAt(to, path)
  return entry ?? { path, reason: 'it vanished while it was copied' }
}

/**
 * Makes the entries of a project's folder (`node_modules`, `.venv`) reachable under the same path. The folder
 * itself is the workspace's own and only its entries are links: what tools add to it does not reach the project.
 */
async function linkFolder(from: string, to: string): Promise<boolean> {
  const found = await lstatOrAbsent(from)
  if (!found || !(await stat(from)).isDirectory()) return false
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    if (!CACHES.has(name)) await symlink(join(from, name), join(to, name))
  }
  return true
}
