import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { atOnce } from '../at-once.ts'
import { inFolder } from '../files/held.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { isSameStamp, stampAt } from '../files/stamp.ts'
import { walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import type { Copy } from './copy.ts'
import { type Entry, entryAt, type Manifest } from './manifest.ts'

/** A file that differs from what was copied: `before` as copied, `after` as it is in the workspace. */
export interface FileDifference {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'removed'
  /** @internal */
  readonly before?: Entry
  /** @internal */
  readonly after?: Entry
}

/**
 * Every file whose content, kind or executable bit differs from the manifest's, sorted by path. Files that the system
 * says were not touched since they were copied are not read again.
 */
export async function compare(
  root: string,
  manifest: Manifest,
  copied?: Copy['files'],
): Promise<FileDifference[]> {
  const before = new Map(manifest.files.map((entry) => [entry.path, entry]))
  const { found } = await walk(root, IgnoreRules.from(manifest.ignore_files, manifest.linked))
  const untouched = (path: string) => isSameStamp(copied?.get(path)?.to, stampAt(join(root, path)))
  const paths = [...new Set([...before.keys(), ...found.map(({ path }) => path)])]
    .filter((path) => !untouched(path))
    .sort()
  const top = await realpath(root)
  const now = (path: string) =>
    inFolder(top, join(top, dirname(path)), path, (folder) => entryAt(join(folder, basename(path)), path))
  const compared = await atOnce(paths, WORKSPACE_FILES_AT_ONCE, async (path) =>
    difference(path, before.get(path), await now(path)),
  )
  return compared.filter((one) => one !== undefined)
}

function difference(path: string, before?: Entry, after?: Entry): FileDifference | undefined {
  if (before && after) {
    const same = before.sha256 === after.sha256 && before.mode === after.mode
    return same ? undefined : { path, kind: 'modified', before, after }
  }
  if (after) return { path, kind: 'added', after }
  return before && { path, kind: 'removed', before }
}
