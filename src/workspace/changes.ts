import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { inside, segmentsOf } from '../files/confine.ts'
import { readRegular } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { isSameStamp, stampAt } from '../files/stamp.ts'
import { walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { atOnce } from './at-once.ts'
import type { Copy } from './copy.ts'
import { type Diff, type Side, unifiedDiff } from './diff.ts'
import { type Entry, entryAt, type Manifest, sameContent } from './manifest.ts'

/** A file that differs from what was copied: `before` as copied, `after` as it is in the workspace. */
export interface Difference {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'removed'
  readonly before?: Entry
  readonly after?: Entry
}

/** A difference as a person reviews it. The diff is against the project as it is now: what `accept` would do. */
export interface Change extends Diff {
  readonly path: string
  readonly kind: Difference['kind']
  /** Why it cannot be accepted. */
  readonly conflict?: string
}

/**
 * Every file whose content, kind or executable bit differs from the manifest's, sorted by path. Files that the system
 * says were not touched since they were copied are not read again.
 */
export async function compare(
  root: string,
  manifest: Manifest,
  copied?: Copy['files'],
): Promise<Difference[]> {
  const before = new Map(manifest.files.map((entry) => [entry.path, entry]))
  const { found } = await walk(root, IgnoreRules.from(manifest.ignore_files, manifest.linked))
  const untouched = (path: string) => isSameStamp(copied?.get(path)?.to, stampAt(join(root, path)))
  const paths = [...new Set([...before.keys(), ...found.map(({ path }) => path)])]
    .filter((path) => !untouched(path))
    .sort()
  const compared = await atOnce(paths, WORKSPACE_FILES_AT_ONCE, async (path) =>
    difference(path, before.get(path), await entryAt(join(root, path), path)),
  )
  return compared.filter((one) => one !== undefined)
}

function difference(path: string, before?: Entry, after?: Entry): Difference | undefined {
  if (before && after) {
    const same = sameContent(before, after) && before.executable === after.executable
    return same ? undefined : { path, kind: 'modified', before, after }
  }
  if (after) return { path, kind: 'added', after }
  return before && { path, kind: 'removed', before }
}

/** What is at a path of the project now. Throws `outside_workspace` if a link in the project leads out of it. */
export async function projectFile(project: string, path: string): Promise<string> {
  const segments = segmentsOf(path)
  const name = segments.pop() ?? ''
  return join(await inside(project, segments.join('/')), name)
}

/** Why a difference cannot be accepted; undefined when the project's file is the copied one, or already the new. */
export async function conflictOf(
  project: string,
  { path, before, after }: Difference,
): Promise<string | undefined> {
  if (after?.sha256.startsWith('over-limit')) return 'it is over the size that a workspace takes per file'
  try {
    const now = await entryAt(await projectFile(project, path), path)
    if (sameContent(now, before) || sameContent(now, after)) return undefined
    if (!before) return 'the project got a file of that name since the copy'
    return now ? 'it changed in the project since the copy' : 'it was removed from the project since the copy'
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return thrown.message
    throw thrown
  }
}

export async function describe(root: string, project: string, one: Difference): Promise<Change> {
  const { path, kind, after } = one
  const conflict = await conflictOf(project, one)
  const now = await sideAt(() => projectFile(project, path), path)
  const next = after && (await sideAt(async () => join(root, path), path))
  return { path, kind, ...unifiedDiff(path, now, next), ...(conflict === undefined ? {} : { conflict }) }
}

/** The content to show; what cannot be read (outside, too large) counts as not there, `conflict` says why. */
async function sideAt(locate: () => Promise<string>, path: string): Promise<Side | undefined> {
  try {
    const file = await locate()
    const entry = await entryAt(file, path)
    if (!entry) return undefined
    if (entry.kind === 'link') return { content: Buffer.from(await readlink(file)), mode: '120000' }
    return { content: await readRegular(file, path), mode: entry.executable ? '100755' : '100644' }
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return undefined
    throw thrown
  }
}
