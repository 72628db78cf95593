/** Files that are not as the index has them: changed in an agent's workspace, or since the hub last looked. */

import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HUB_STALE_FILES_MAX } from '../../limits.ts'
import { belonging } from '../../nodes/find.ts'
import { type Manifest, readManifest } from '../../workspace/manifest.ts'
import type { CodeIndex } from './code-index.ts'
import { isUnchanged, type ReadFile, readSource, stampAt } from './read-file.ts'

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
  (await manifestOf(workspace))?.shrunk ?? !(await exists(workspace))

/** Whether an agent finds a file: in its workspace, or in the project where the workspace is only a layer over it. */
export const isFound = async (
  workspace: string | undefined,
  root: string,
  path: string,
): Promise<boolean> => {
  if (!workspace) return exists(join(root, path))
  return (await exists(join(workspace, path))) || ((await isLayer(workspace)) && exists(join(root, path)))
}

/** The files among the given that an agent changed in its workspace: they are what its tools see. */
export const workspaceOverlay = async (
  index: CodeIndex | undefined,
  workspace: string,
  paths: Iterable<string>,
): Promise<Overlay> => {
  const overlay: Overlay = new Map()
  // A layer is made with its first change.
  if (!existsSync(workspace)) return overlay
  const belongs = belonging(workspace)
  const layered = await isLayer(workspace)
  for (const path of paths) {
    const known = index?.fileRow(path)?.hash
    const file = (await belongs(path)) ? await readSource(workspace, path, known) : undefined
    if (!file && layered) continue
    if (file?.hash !== known || index === undefined) overlay.set(path, file ?? null)
  }
  // Where it differs the project may have changed since, and not the agent.
  const copied = overlay.size === 0 ? undefined : await manifestOf(workspace)
  const hashes = new Map(copied?.files.map(({ path, sha256 }) => [path, sha256]))
  for (const [path, file] of overlay) if (copied && hashes.get(path) === file?.hash) overlay.delete(path)
  return overlay
}

/** The files among the given that are not what the index knows, as they are now; a few are read, the rest are named in `unread`. */
export const staleOverlay = async (
  index: CodeIndex | undefined,
  root: string,
  paths: Iterable<string>,
): Promise<{ overlay: Overlay; unread: Set<string> }> => {
  const belongs = belonging(root)
  const overlay: Overlay = new Map()
  const unread = new Set<string>()
  for (const path of paths) {
    const known = index?.fileRow(path)
    const stamp = (await belongs(path)) ? await stampAt(root, path) : undefined
    if (stamp === undefined) {
      if (known !== undefined) overlay.set(path, null)
    } else if (known === undefined || !isUnchanged(known, stamp)) {
      if (overlay.size >= HUB_STALE_FILES_MAX) unread.add(path)
      else {
        const file = await readSource(root, path, known?.hash)
        if (file?.hash !== known?.hash) overlay.set(path, file ?? null)
      }
    }
  }
  return { overlay, unread }
}
