import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { readRegular } from '../files/files.ts'
import { git } from '../files/git.ts'
import { atFile } from '../files/held.ts'
import { sha256 } from '../sha256.ts'
import type { Difference } from './changes.ts'
import type { Entry } from './manifest.ts'

/**
 * The files that an agent changed, as they were before: what a merge needs once the project's own have changed too.
 * They are kept when the agent ends. What is not found then is missing later, and such a file can't be merged.
 */
const folderOf = (home: string): string => join(home, 'originals')

export async function keepOriginals(
  differences: readonly Difference[],
  project: string,
  home: string,
): Promise<void> {
  for (const { before } of differences) {
    const content = before?.kind === 'file' && (await originalOf(project, home, before))
    if (content) await keepOriginal(home, before.path, content)
  }
}

export async function keepOriginal(home: string, path: string, content: Uint8Array): Promise<void> {
  const file = join(folderOf(home), path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** The content that an entry of the manifest stands for; undefined when it is nowhere any more. */
export async function originalOf(
  project: string,
  home: string,
  entry: Entry,
): Promise<Uint8Array | undefined> {
  const kept = await readIfThere(join(folderOf(home), entry.path), entry.path)
  return kept && isOf(entry, kept) ? kept : contentNow(project, entry)
}

/** In the project itself while it is unchanged there, or in its last commit. */
async function contentNow(project: string, entry: Entry): Promise<Uint8Array | undefined> {
  const found = await atFile(project, entry.path, (file) => readIfThere(file, entry.path))
  if (found && isOf(entry, found)) return found
  const committed = await git(project, ['cat-file', 'blob', `HEAD:./${entry.path}`])
  return committed?.code === 0 && isOf(entry, committed.stdout) ? committed.stdout : undefined
}

const isOf = (entry: Entry, content: Uint8Array): boolean => sha256(content) === entry.sha256

async function readIfThere(file: string, path: string): Promise<Uint8Array | undefined> {
  try {
    return await readRegular(file, path)
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return undefined
    throw thrown
  }
}
