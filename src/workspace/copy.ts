import { constants, realpathSync } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atOnce } from '../at-once.ts'
import { codeOf } from '../errors.ts'
import { isWithin } from '../files/confine.ts'
import { tooLarge } from '../files/files.ts'
import { IgnoreRules, parentOf } from '../files/ignore.ts'
import { isSameStamp, isSettled, type Stamp, stampAt } from '../files/stamp.ts'
import { byPath, type FoundFile, type Skipped, walk } from '../files/walk.ts'
import { FILE_TIME_MS, WORKSPACE_FILE_BYTES_MAX, WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { linkFolders } from './link.ts'
import { type Entry, entryAt, type Manifest } from './manifest.ts'

interface CopiedFile {
  readonly entry: Entry
  /** Of the project's file before it was copied; undefined when it was too fresh to be trusted. */
  readonly from: Stamp | undefined
  /** Of the copy; set once it can be trusted. */
  to: Stamp | undefined
}

/** A copy of a project, and what tells whether a file of either changed since. */
export interface Copy {
  root: string
  readonly files: Map<string, CopiedFile>
}

export interface CopyOptions {
  readonly id: string
  /** Top folders that are linked. */
  readonly link: readonly string[]
  /** Paths that are not copied though no rule says so. */
  readonly leaveOut: readonly string[]
}

/**
 * Makes a copy equal to the project as it is now; a new copy is an empty folder. Only what changed here or there is
 * copied, and what does not belong is removed. Each file is one of its own: a reflink where the disk has them, else the
 * bytes. Hard links are never used, since a tool that writes in place would write the project.
 */
export async function updateCopy(copy: Copy, project: string, options: CopyOptions): Promise<Manifest> {
  const top = await realpath(project)
  const ignored = IgnoreRules.of(top, [...options.link, ...options.leaveOut])
  const { found, skipped } = await walk(top, ignored)
  const wanted = found.filter(({ path }) => !isCurrent(copy, top, path))
  const stale = new Set(wanted.map(({ path }) => path))
  const kept = new Set(found.map(({ path }) => path).filter((path) => !stale.has(path)))
  for (const path of copy.files.keys()) if (!kept.has(path)) copy.files.delete(path)
  await removeOthers(copy.root, kept, new Set(options.link))
  for (const folder of new Set(wanted.map(({ path }) => dirname(path))))
    await mkdir(join(copy.root, folder), { recursive: true })
  const problems: Skipped[] = []
  await atOnce(wanted, WORKSPACE_FILES_AT_ONCE, async (one) => {
    const copied = await copyOne(top, copy.root, one)
    if ('reason' in copied) problems.push(copied)
    else copy.files.set(one.path, copied)
  })
  if (wanted.length > 0) await sleep(FILE_TIME_MS + 1)
  for (const path of stale) {
    const copied = copy.files.get(path)
    const stamp = stampAt(join(copy.root, path))
    if (copied && stamp && isSettled(stamp)) copied.to = stamp
  }
  const linked = await linkFolders(top, copy.root, options.link, found)
  return {
    v: 1,
    id: options.id,
    layer: false,
    linked,
    ignore_files: [...ignored.files],
    skipped: [...skipped, ...problems].sort(byPath),
    files: found.flatMap(({ path }) => copy.files.get(path)?.entry ?? []),
  }
}

function isCurrent({ root, files }: Copy, top: string, path: string): boolean {
  const known = files.get(path)
  return (
    known !== undefined &&
    isSameStamp(known.from, stampAt(join(top, path))) &&
    isSameStamp(known.to, stampAt(join(root, path)))
  )
}

/** Whatever tools left behind, ignored or not. */
async function removeOthers(
  root: string,
  kept: ReadonlySet<string>,
  linked: ReadonlySet<string>,
): Promise<void> {
  const folders = new Set<string>()
  for (const path of kept)
    for (let at = parentOf(path); at !== undefined && !folders.has(at); at = parentOf(at)) folders.add(at)
  const clear = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (kept.has(path) || linked.has(path) || linked.has(entry.name)) continue
      if (entry.isDirectory() && folders.has(path)) await clear(path)
      else await rm(join(root, path), { recursive: true, force: true })
    }
  }
  await clear('')
}

async function copyOne(top: string, root: string, { path, kind }: FoundFile): Promise<CopiedFile | Skipped> {
  const [from, to] = [join(top, path), join(root, path)]
  const stamp = stampAt(from)
  const isTrusted = stamp !== undefined && isSettled(stamp)
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
  if (!entry) return { path, reason: 'it vanished while it was copied' }
  return { entry, from: isTrusted ? stamp : undefined, to: undefined }
}

/** Where Twotrack's records are inside the project under another name than `.agentfs`, they are not copied. */
export async function ownFolders({
  project,
  folder,
}: {
  readonly project: string
  readonly folder: string
}): Promise<string[]> {
  const path = relative(realpathSync.native(project), realpathSync.native(folder))
  return path === '' || path.startsWith('..') || isAbsolute(path) ? [] : [path.replaceAll('\\', '/')]
}
