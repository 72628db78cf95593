/** Files that are not as the index has them: changed in an agent's workspace, or since the hub last looked. */

import { dirname, join } from 'node:path'
import { HUB_PARSED_KEPT } from '../../limits.ts'
import { belonging } from '../../nodes/belongs.ts'
import type { ParsedFile } from '../../nodes/parse.ts'
import { readManifest } from '../../workspace/manifest.ts'
import type { CodeIndex } from './code-index.ts'
import { isSameStamp, isUnchanged, readSource, stampAt } from './read-file.ts'
import type { Stamp } from './rows.ts'

export interface OverlaidFile {
  hash: string
  parsed: ParsedFile
  /** The file's own time. */
  mtime_ms: number
}

/** By path; null for a file that is gone. */
export type Overlay = Map<string, OverlaidFile | null>

/** What was used lately, by place: an agent's files are asked for every turn. */
class Recent<T> {
  readonly #kept = new Map<string, T>()

  get(place: string): T | undefined {
    return this.#kept.get(place)
  }

  set(place: string, value: T): void {
    this.#kept.delete(place)
    this.#kept.set(place, value)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > HUB_PARSED_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

const parsedFiles = new Recent<{ hash: string; parsed: ParsedFile }>()
const manifests = new Recent<{ stamp: Stamp; hashes: Map<string, string> }>()

const readOverlaid = async (root: string, path: string): Promise<OverlaidFile | null> => {
  const place = join(root, path)
  const kept = parsedFiles.get(place)
  const file = await readSource(root, path, kept?.hash)
  const parsed = file?.parsed ?? kept?.parsed
  if (file === undefined || parsed === undefined) return null
  parsedFiles.set(place, { hash: file.hash, parsed })
  return { hash: file.hash, parsed, mtime_ms: file.stamp.mtime_ms }
}

/** Hashes of the files as they were copied into a workspace; undefined for a folder that is no workspace of ours. */
const copiedHashes = async (workspace: string): Promise<Map<string, string> | undefined> => {
  const home = dirname(workspace)
  const stamp = await stampAt(home, 'manifest.json')
  if (stamp === undefined) return undefined
  const known = manifests.get(home)
  if (known !== undefined && isSameStamp(known.stamp, stamp)) return known.hashes
  try {
    const { files } = await readManifest(join(home, 'manifest.json'), workspace)
    const hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]))
    manifests.set(home, { stamp, hashes })
    return hashes
  } catch {
    return undefined
  }
}

/** The files among the given that an agent changed in its workspace: they are what its tools see. */
export const workspaceOverlay = async (
  index: CodeIndex | undefined,
  workspace: string,
  paths: Iterable<string>,
): Promise<Overlay> => {
  const copied = await copiedHashes(workspace)
  const belongs = belonging(workspace)
  const overlay: Overlay = new Map()
  for (const path of paths) {
    const before = copied === undefined ? index?.fileRow(path)?.hash : copied.get(path)
    const file = (await belongs(path)) ? await readOverlaid(workspace, path) : null
    if (file === null ? before !== undefined : file.hash !== before) overlay.set(path, file)
  }
  return overlay
}

/** The files among the given that are not what the index knows, as they are now; at most `max` are read, the rest told. */
export const staleOverlay = async (
  index: CodeIndex | undefined,
  root: string,
  paths: Iterable<string>,
  max: number,
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
      if (overlay.size >= max) unread.add(path)
      else {
        const file = await readOverlaid(root, path)
        if (file?.hash !== known?.hash) overlay.set(path, file)
      }
    }
  }
  return { overlay, unread }
}
