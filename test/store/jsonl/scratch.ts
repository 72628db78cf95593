import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test, removed after it. */
export async function scratchFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'twotrack-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** For tests that write thousands of files and do not care about syncs: on a memory disk where there is one. */
export const quickScratchFolder = (): Promise<string> =>
  scratchFolder(existsSync('/dev/shm') ? '/dev/shm' : undefined)
