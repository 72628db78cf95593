import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Builds the shim into a folder; undefined where there is no compiler, or no way to preload. */
export function buildShim(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  const library = join(folder, 'shim.so')
  try {
    const source = join(import.meta.dirname, 'shim.c')
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread'], {
      stdio: 'pipe',
    })
  } catch (thrown) {
    if (existsSync('/usr/bin/cc')) throw thrown
    return undefined
  }
  return library
}
