import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { git } from '../files/git.ts'
import { isOwn } from '../files/own-folder.ts'
import { refuseLinksIn } from '../files/refuse-links.ts'
import { sha256 } from '../sha256.ts'
import type { TrustRequest } from './trust.ts'

/**
 * The records in a folder of a project, where they need not be this person's: somebody else or another machine made the
 * folder, it is a copy, or git tracks files in it and so brings what others say. Undefined where they are, or where
 * there are none. Throws `untrusted` for links.
 */
export async function recordsRequest(project: string, folder: string): Promise<TrustRequest | undefined> {
  refuseLinksIn(project, folder)
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false })
  if (!stats?.isDirectory()) return undefined
  const name = relative(project, folder).split(sep).join('/')
  const tracked = await trackedIn(project, name)
  if (tracked.length === 0 && isOwn(folder)) return undefined
  const { ino, birthtimeNs, uid } = stats
  const own = process.getuid === undefined || uid === BigInt(process.getuid())
  const lines = [
    `folder ${ino}, made on ${new Date(Number(birthtimeNs / 1_000_000n)).toISOString()}, of ${own ? 'your' : "another user's"} account (${uid})`,
    tracked.length > 0 && `git tracks ${tracked.length} files in it, sha256 ${sha256(tracked.join('\0'))}`,
  ]
  return { kind: 'logs', name, text: lines.map((line) => (line === false ? '' : `${line}\n`)).join('') }
}

/** What git would bring, with the digest of each file; nothing where git has no say. */
async function trackedIn(project: string, name: string): Promise<string[]> {
  // Where upper and lower case are one, so are their folders.
  const found = await git(project, ['ls-files', '-s', '-z', '--', `:(icase,literal)${name}`])
  return found?.code === 0 ? found.stdout.toString().split('\0').filter(Boolean) : []
}
