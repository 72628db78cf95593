import { existsSync } from 'node:fs'
import { TwotrackError, undefinedIf } from '../errors.ts'
import { segmentsOf } from '../files/confine.ts'
import { readInside } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { byPath } from '../files/walk.ts'
import { sha256 } from '../sha256.ts'
import { ownFolders } from './copy.ts'
import type { Entry, Manifest } from './manifest.ts'
import { manifestEntry, sideAt } from './merged.ts'

/** How a workspace that holds changed files alone sees the others: as they are in the project. */
export function layerOf(project: string, place: { readonly project: string; readonly folder: string }) {
  let rules: IgnoreRules | undefined
  /** Digests of what was read: a change is measured against what the agent saw. */
  const seen = new Map<string, string>()
  const isLeftOut = async (path: string): Promise<boolean> => {
    rules ??= IgnoreRules.of(project, await ownFolders(place))
    return rules.leavesOut(path)
  }
  const isOwn = (manifest: Manifest, path: string) => manifest.files.some((entry) => entry.path === path)
  return {
    async read(manifest: Manifest, root: string, path: string): Promise<Buffer> {
      const own = segmentsOf(path).join('/')
      // The folder itself is made with the first change.
      const changed = existsSync(root) ? await undefinedIf(readInside(root, own), 'missing') : undefined
      if (changed) return changed
      if (isOwn(manifest, own) || (await isLeftOut(own)))
        throw new TwotrackError('missing', `There is no file "${own}" in this workspace.`)
      const bytes = await readInside(project, own)
      seen.set(own, sha256(bytes))
      return bytes
    },
    /** The file as it was before its first change; undefined when there was none. */
    async before(manifest: Manifest, path: string): Promise<Entry | undefined> {
      const own = segmentsOf(path).join('/')
      const known = manifest.files.find((entry) => entry.path === own)
      if (known || (await isLeftOut(own))) return known
      const now = await sideAt(project, own)
      return now && { ...manifestEntry(own, now), sha256: seen.get(own) ?? sha256(now.content) }
    },
    /** The same manifest where it knows the file already. */
    withBefore: (manifest: Manifest, before: Entry | undefined): Manifest =>
      before && isOwn(manifest, before.path)
        ? manifest
        : {
            ...manifest,
            ignore_files: [...(rules?.files ?? [])],
            files: [...manifest.files, ...(before ? [before] : [])].sort(byPath),
          },
  }
}
