import { expect, test } from 'vitest'
import { isSamePath } from '../../src/text/paths.ts'

test.each([
  ['/repo/src/a.ts', 'src/a.ts', true],
  ['./a.ts', 'src/a.ts', true],
  ['src\\A.ts', './src/a.ts', true],
  ['src/É.ts', 'src/é.ts', true],
  ['src/a.ts', 'src/b.ts', false],
  ['src/a.ts', 'lib/a.ts', false],
  ['data.ts', 'a.ts', false],
  ['src', 'lib/src', false],
])('%s and %s are one file: %s', (one, other, same) => {
  expect(isSamePath(one, other)).toBe(same)
  expect(isSamePath(other, one)).toBe(same)
})
