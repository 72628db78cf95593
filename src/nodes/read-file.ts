/** One file of the project as it is now. */

import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { isSameStamp, isSettled, type Stamp, stampOf } from '../files/stamp.ts'
import { sha256 } from '../sha256.ts'
import { type ParsedFile, parseNodes, SOURCE_BYTES_MAX, tooLargeFile, unreadableFile } from './parse.ts'

export interface ReadFile {
  path: string
  stamp: Stamp
  /** When it was looked at, before its content was read. */
  seen_ms: number
  hash: string
  /** Undefined when the hash is the one that is known: there is nothing new in it. */
  parsed?: ParsedFile
}

/** What the index knows of a file. */
export interface FileRow extends Stamp {
  path: string
  /** When it was looked at. */
  seen_ms: number
  hash: string
  /** Its content of now could be parsed. */
  parsed: boolean
  /** Its nodes are of a content that could. */
  good: boolean
}

/** Undefined when nothing is there that could be read: no file, a folder, a symbolic link. */
export const fileStamp = async (root: string, path: string): Promise<Stamp | undefined> => {
  try {
    const stats = await lstat(join(root, path))
    return stats.isFile() ? stampOf(stats) : undefined
  } catch {
    return undefined
  }
}

/** Whether a file is surely what was read: the same stamp, and not so young that a change could hide behind it. */
export const isUnchanged = (known: FileRow, stamp: Stamp): boolean =>
  isSameStamp(known, stamp) && isSettled(stamp, known.seen_ms)

/** The stamp is taken before the content is read, so that a change in between is seen as one later. */
export const readSource = async (
  root: string,
  path: string,
  knownHash?: string,
): Promise<ReadFile | undefined> => {
  const seen_ms = Date.now()
  const stamp = await fileStamp(root, path)
  if (stamp === undefined) return undefined
  const file = { path, stamp, seen_ms }
  const refused = (parsed: ParsedFile): ReadFile => ({
    ...file,
    hash: `${parsed.errors[0]?.code}:${stamp.bytes}:${stamp.mtime_ms}`,
    parsed,
  })
  if (stamp.bytes > SOURCE_BYTES_MAX) return refused(tooLargeFile(path, stamp.bytes))
  let bytes: Uint8Array
  try {
    bytes = await readFile(join(root, path))
  } catch (cause) {
    return (await fileStamp(root, path)) && refused(unreadableFile(path, messageOf(cause)))
  }
  const hash = sha256(bytes)
  return hash === knownHash ? { ...file, hash } : { ...file, hash, parsed: await parseNodes(path, bytes) }
}
