import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '../files/git.ts'

export interface ThreeWay {
  readonly content: Uint8Array
  /** Places that both changed; the content has both there, between git's marks. */
  readonly conflicts: number
}

/** Git's exit code is the number of conflicts; it counts no further, and what is above is an error. */
const CONFLICTS_MAX = 127

/**
 * Three contents of a file merged line by line, exactly as git does. Undefined where that can't be done: there is no
 * git, or the contents are no text.
 */
export async function threeWay(
  base: Uint8Array,
  now: Uint8Array,
  theirs: Uint8Array,
  name: string,
): Promise<ThreeWay | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-merge-'))
  try {
    await writeFile(join(folder, 'now'), now)
    await writeFile(join(folder, 'base'), base)
    await writeFile(join(folder, 'theirs'), theirs)
    const labels = ['-L', 'the project', '-L', 'before', '-L', name]
    const answer = await git(folder, ['merge-file', '-p', '-q', ...labels, 'now', 'base', 'theirs'])
    if (!answer || answer.code > CONFLICTS_MAX) return undefined
    return { content: answer.stdout, conflicts: answer.code }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
