import { expect, test } from 'vitest'
import type { Done } from '../../src/app/job.ts'
import { exitCode } from '../../src/cli/perform-run.ts'
import { folderWith } from '../agents/bench.ts'
import { twotrack } from './run.ts'

const one = (reason: Done['stop']['reason'], failed = reason !== 'submitted', open: string[] = []): Done => ({
  agent_id: 'a',
  operation: 'o',
  node_id: 'a.py',
  stop: { reason, summary: '' },
  standing: 'done',
  failed,
  turns: 1,
  prompt_tokens: 0,
  events: 0,
  raw_bytes: 0,
  prompt_tokens_max: 0,
  changes: [],
  problems: open.length,
  open,
})

const good = one('submitted')
const withProblem = one('submitted', false, ['a.py:1 E701'])
const failing = one('submitted', true, ['test_a.py:1 failed'])

test.each([
  ['all is well', [good], [0, 0, 0]],
  ['a problem is open', [good, withProblem], [0, 1, 0]],
  ['tests fail', [good, failing], [0, 1, 1]],
  ['the only one fails', [failing], [0, 1, 1]],
  ['one handed in nothing', [good, one('turn_limit')], [0, 1, 1]],
  ['none handed in a result', [one('model_failed')], [0, 2, 2]],
  ['it was stopped from outside', [good, one('cancelled')], [130, 130, 130]],
])('%s', (_name, done, codes) => {
  const modes = ['never', 'problems', 'failures'] as const
  expect(modes.map((failOn) => exitCode(done, done.length, failOn))).toEqual(codes)
})

test('jobs that were not begun because of Ctrl-C count as stopped', () => {
  expect(exitCode([good], 2)).toBe(130)
})

test('run says by its exit code that tests fail', async () => {
  const cwd = await folderWith({
    'a.py': 'A = 1\n',
    'test_a.py':
      'import unittest\nimport a\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(a.A, 2)\n',
  })
  const run = (...more: string[]) => twotrack(cwd, ['run', 'test', 'a.py', '--no-hub', '--trust', ...more])
  const ended = await run()
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(/^✗ test#1 a\.py\n {4}failed: Tests failing: 1.*\n/)
  expect(ended.stdout).toMatch(/look at it: .* show test#1\n/)
  expect(ended.stdout).toContain('1 agent: 0 done, 1 failed')
  expect((await run('--fail-on', 'never')).code).toBe(0)
})

test('run says by its exit code that problems remain, unless only failures count', async () => {
  const cwd = await folderWith({ 'a.py': 'print(unknown)\n' })
  const run = (...more: string[]) => twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub', ...more])
  const ended = await run()
  expect(ended.code).toBe(1)
  expect(ended.stdout).toContain('1 agent: 0 done, 1 with problems left, 0 failed; 0 propose changes.')
  expect(ended.stdout).toContain('\n    1 F821 Undefined name `unknown`\n') // its file stands above
  expect((await run('--fail-on', 'failures')).code).toBe(0)
})

test('a linter that can not run is told of once, not for each file', async () => {
  const files = [1, 2, 3, 4, 5].map((at) => [`part_${at}.ts`, 'export const x = 1\n'] as const)
  const cwd = await folderWith({ ...Object.fromEntries(files), '.oxlintrc.json': '{ "rules": 1 }' })
  const { stdout, code } = await twotrack(cwd, ['run', 'lint', '.', '--no-hub', '--trust'])
  expect(code).toBe(1)
  expect(stdout.match(/^✗ /gm)).toHaveLength(1)
  expect(stdout).toContain('4 more agents failed for the same reason: lint#2, lint#3, lint#4, lint#5\n')
  expect(stdout).toContain('5 agents: 0 done, 5 failed')
})

test('why tests could not be run is told', async () => {
  const cwd = await folderWith({ 'a.test.js': "import { test } from '@jest/globals'\ntest('x', () => {})\n" })
  const { stdout } = await twotrack(cwd, ['run', 'test', '.', '--no-hub', '--trust'])
  expect(stdout).toMatch(/failed: The tests could not be run: .*jest, which is not installed/)
})

test('agents whose tests fail are told of together only where the same tests fail', async () => {
  const failing = (name: string) =>
    `import unittest\nimport ${name}\n\n\nclass T(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(${name}.A, 2)\n`
  const cwd = await folderWith({
    'a.py': 'A = 1\n',
    'test_a.py': failing('a'),
    'b.py': 'A = 1\n',
    'test_b.py': failing('b'),
  })
  const { stdout } = await twotrack(cwd, ['run', 'test', '.', '--no-hub', '--trust'])
  expect(stdout.match(/^✗ .*/gm)).toEqual(['✗ test#1 a.py', '✗ test#2 b.py'])
  expect(stdout).toContain('test_a.py:7 test_a: AssertionError: 1 != 2')
  expect(stdout).toContain('test_b.py:7 test_b: AssertionError: 1 != 2')
  expect(stdout.match(/1 more agent failed for the same reason: test#\d/g)).toEqual([
    '1 more agent failed for the same reason: test#3',
    '1 more agent failed for the same reason: test#4',
  ])
})

test('accept says that there is nothing to take', async () => {
  const { code, stderr } = await twotrack(await folderWith({ 'a.py': 'A = 1\n' }), ['accept', '--all'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'No proposed changes.\n' })
})
