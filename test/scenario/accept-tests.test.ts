import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { textOf } from './project.ts'

/** Ruff takes the semicolon away, whatever the project's rules. */
const SOURCE = 'A = 1;\n'
const FIXED = 'A = 1\n'
const testThat = (says: string) =>
  `import pathlib\nimport unittest\n\nimport a\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        ${says}\n`

test('accept --test takes what passes the tests, and nothing that makes one fail', async () => {
  const good = folderWith({ 'a.py': SOURCE, 'test_a.py': testThat('self.assertEqual(a.A, 1)') })
  await twotrack(good, ['run', 'lint', 'a.py', '--no-hub'])
  const taken = await twotrack(good, ['accept', '--last', '--test', '--trust'])
  expect(taken.stderr).toMatch(
    /^twotrack: Running the tests of 1 file with the changes\.\n✓ The 1 test passed/m,
  )
  expect(taken).toMatchObject({ code: 0, stdout: 'accepted lint#1: a.py\n' })
  expect(textOf(good, 'a.py')).toBe(FIXED)

  const reads = 'self.assertIn(";", pathlib.Path(a.__file__).read_text())'
  const bad = folderWith({ 'a.py': SOURCE, 'test_a.py': testThat(reads) })
  await twotrack(bad, ['run', 'lint', 'a.py', '--no-hub'])
  const refused = await twotrack(bad, ['accept', '--last', '--test', '--trust'])
  expect(refused.stderr).toContain('Nothing was accepted: with these changes tests fail')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(textOf(bad, 'a.py')).toBe(SOURCE)
  const untrusted = await twotrack(bad, ['accept', '--last', '--test'])
  expect(untrusted).toMatchObject({ code: 2, stdout: '' })
  // Without --test, and without a terminal, nobody is asked.
  expect((await twotrack(bad, ['accept', '--last'])).code).toBe(0)
})

test('accept --test runs the tests of all files in one go', async () => {
  const cwd = folderWith({
    'a.py': SOURCE,
    'b.py': SOURCE,
    'test_all.py':
      'import unittest\n\nimport a\nimport b\n\n\nclass T(unittest.TestCase):\n    def test_all(self):\n        self.assertEqual(a.A, b.A)\n',
  })
  await twotrack(cwd, ['run', 'lint', 'a.py', 'b.py', '--no-hub'])
  const taken = await twotrack(cwd, ['accept', '--all', '--test', '--trust'])
  expect(taken.stderr.match(/^✓ /gm)).toHaveLength(1)
  expect(taken.stderr).toContain('Running the tests of 2 files with the changes.')
  expect(taken.code).toBe(0)
})

test('accept --test says which tests fail without the changes too', async () => {
  const reads = 'self.assertIn(";", pathlib.Path(a.__file__).read_text())'
  const old = '\n    def test_old(self):\n        self.assertEqual(a.A, 2)\n'
  const cwd = folderWith({ 'a.py': SOURCE, 'test_a.py': testThat(reads) + old })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  const { code, stderr } = await twotrack(cwd, ['accept', '--last', '--test', '--trust'])
  expect(code).toBe(1)
  expect(stderr).toContain('2 of 2 tests failed')
  expect(stderr).toContain('Without them these fail too: test_a.py test_old\n')
  expect(textOf(cwd, 'a.py')).toBe(SOURCE)
})
