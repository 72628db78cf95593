/** A short form of `bench/nodes.ts`, which compares every file. */

import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { share } from './truth.ts'
import { comparePython, pythonLibrary } from './truth-python.ts'
import { compareTypeScript } from './truth-typescript.ts'

const FILES = 100
const AGREEMENT = 0.995

/** Every n-th, so that all packages are seen. */
const sample = (paths: string[]): string[] => {
  const step = Math.max(1, Math.floor(paths.length / FILES))
  return paths.sort().filter((_, index) => index % step === 0)
}

it('agrees with ast on the definitions of the Python library', async ({ skip }) => {
  const library = pythonLibrary()
  if (library === null) return skip('no Python library under /usr/lib')
  const comparison = await comparePython(sample(globSync(`${library}/**/*.py`)))
  expect(comparison.definitions).toBeGreaterThan(1000)
  expect(share(comparison), JSON.stringify(comparison.differences, null, 1)).toBeGreaterThanOrEqual(AGREEMENT)
})

it.each(['ts,mts,cts,tsx', 'js,mjs,cjs'])(
  'agrees with the TypeScript compiler on installed packages (%s)',
  async (endings) => {
    const comparison = await compareTypeScript(
      sample(globSync(`node_modules/{zod,yaml,commander,diff,fast-check,@types/node}/**/*.{${endings}}`)),
    )
    expect(comparison.definitions).toBeGreaterThan(500)
    expect(share(comparison), JSON.stringify(comparison.differences, null, 1)).toBeGreaterThanOrEqual(
      AGREEMENT,
    )
  },
)
