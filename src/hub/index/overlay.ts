/** Files that are not as the index has them: changed in an agent's workspace, or since the hub last looked. */

import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { belonging, findFiles } from '../../nodes/find.ts'
import { type ReadFile, readSource } from '../../nodes/read-file.ts'
import { type Manifest, readManifest } from '../../workspace/manifest.ts'
import type { CodeIndex } from './code-index.ts'

/** By path; null for a file that is gone. */
export type Overlay = Map<string, ReadFile | null>

/** What a workspace was copied from; undefined for a folder that is no workspace of ours. */
const manifestOf = (workspace: string): Promise<Manifest | undefined> =>
  readManifest(join(dirname(workspace), 'manifest.json'), workspace).catch(() => undefined)

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )

/** Whether a workspace holds changed files alone: the others are those of the project. A new one is not there yet. */
const isLayer = async (workspace: string): Promise<boolean> =>
  (await manifestOf(workspace))?.layer ?? !(await exists(workspace))

/** Whether an agent finds a file: in its workspace, or in the project where the workspace is only a layer over it. */
export const isFound = async (
  workspace: string | undefined,
  root: string,
  path: string,
): Promise<boolean> => {
  if (!workspace) return exists(join(root, path))
  return (await exists(join(workspace, path))) || ((await isLayer(workspace)) && exists(join(root, path)))
}

/** The files that an agent changed in its workspace, of those given or of all: they are what its tools see. */
export const workspaceOverlay = async (
  index: CodeIndex,
  workspace: string,
  given?: Iterable<string>,
): Promise<Overlay> => {
  const overlay: Overlay = new Map()
  // A layer is made with its first change.
  if (!existsSync(workspace)) return overlay
  const belongs = belonging(workspace)
  const layered = await isLayer(workspace)
  const all = async () => [
    ...(layered ? [] : index.paths()),
    ...(await findFiles(workspace, ['.'])).files.map(({ path }) => path),
  ]
  for (const path of new Set(given ?? (await all()))) {
    const known = index.fileRow(path)?.hash
    const file = (await belongs(path)) ? await readSource(workspace, path, known) : undefined
    if (!file && layered) continue
    if (file?.hash !== known) overlay.set(path, file ?? null)
  }
  // Where it differs the project may have changed since, and not the agent.
  const copied = overlay.size === 0 ? undefined : await manifestOf(workspace)
  const hashes = new Map(copied?.files.map(({ path, sha256 }) => [path, sha256]))
  for (const [path, file] of overlay) if (copied && hashes.get(path) === file?.hash) overlay.delete(path)
  return overlay
}
