import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { codeOf, TwotrackError } from '../errors.ts'
import { diskError } from './disk.ts'

/** Copies of the project's own files, whose links are the project's: `workspaces/ID/files`, `copies/RUN/N`. */
const isCopy = (path: string): boolean =>
  /^workspaces[\\/][^\\/]+[\\/](?:files|changed)$/.test(path) || /^copies[\\/][^\\/]+[\\/][^\\/]+$/.test(path)

/**
 * Throws if anything in a folder of records is no real file or folder: a project that was just cloned can bring a link,
 * and what is read, written and removed there would be wherever it leads; reading a device or a pipe never ends.
 */
export function refuseLinks(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new TwotrackError(
      'io',
      `${folder} is no folder, and records are kept in one. Move it away, or name another folder with --folder.`,
    )
  const folders = ['']
  for (let at = folders.pop(); at !== undefined; at = folders.pop())
    for (const entry of entriesOf(join(folder, at))) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) {
        if (!isCopy(path)) folders.push(path)
      } else if (!entry.isFile()) throw refused(join(folder, path), entry.isSymbolicLink())
    }
}

/** The same for a folder of a project, which itself must be reached without a link. */
export function refuseLinksIn(project: string, folder: string): void {
  for (let at = folder; relative(project, at) !== ''; at = dirname(at))
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw refused(at, true)
  refuseLinks(folder)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    // Other commands make and remove folders meanwhile; what is no folder, whoever opens it says.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '')) return []
    throw diskError('read folder', folder, cause)
  }
}

const refused = (path: string, isLink: boolean): TwotrackError =>
  new TwotrackError(
    'untrusted',
    isLink
      ? `${path} is a link, and records are kept in real folders alone: a project could bring one that leads anywhere. ` +
          'Remove it. To keep records elsewhere, set runner.memory.folder to that place.'
      : `${path} is neither a file nor a folder, and records are nothing else. Remove it.`,
  )
