import { constants } from 'node:fs'
import { copyFile, mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lstatOrAbsent } from '../files/confine.ts'
import { byPath } from '../files/walk.ts'
import type { Difference } from './changes.ts'
import type { Manifest } from './manifest.ts'

/** Puts the changed files alone into the new folder `to`; gives the manifest of it. */
export async function keepOnly(
  differences: readonly Difference[],
  from: string,
  to: string,
  manifest: Manifest,
): Promise<Manifest> {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  for (const { path, after } of differences) {
    if (after) await copyChanged(join(from, path), join(to, path))
    // A folder that lost its files goes from the project too, unless it still is in the workspace.
    else if ((await lstatOrAbsent(join(from, dirname(path))))?.isDirectory())
      await mkdir(join(to, dirname(path)), { recursive: true })
  }
  return { ...manifest, shrunk: true, files: differences.flatMap(({ before }) => before ?? []) }
}

/** Brings changed files into a complete copy; gives its manifest, with the changes as changes. */
export async function putBack(
  differences: readonly Difference[],
  from: string,
  to: string,
  manifest: Manifest,
): Promise<Manifest> {
  const files = new Map(manifest.files.map((entry) => [entry.path, entry]))
  for (const { path, before } of differences) {
    await rm(join(to, path), { recursive: true, force: true })
    if (before) files.set(path, before)
    else files.delete(path)
  }
  for (const { path, after } of differences) if (after) await copyChanged(join(from, path), join(to, path))
  return { ...manifest, files: [...files.values()].sort(byPath) }
}

async function copyChanged(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const stats = await lstatOrAbsent(from)
  if (stats?.isSymbolicLink()) await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}
