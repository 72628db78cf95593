import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { TwotrackError } from '../../src/errors.ts'

/** A folder with these files that is its own git root, so that no configuration above it is found. */
export function folderWith(files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.git'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

export function refusal(action: () => unknown): TwotrackError {
  try {
    action()
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return thrown
    throw thrown
  }
  throw new Error('expected a TwotrackError, nothing was thrown')
}
