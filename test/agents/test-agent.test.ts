import { spawnSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testsFor } from '../../src/agents/test/related.ts'
import { runnerFor } from '../../src/agents/test/runner-for.ts'
import { openHub } from '../../src/hub/open.ts'
import { readReport } from '../../src/summarize/reports/reports.ts'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith, sampleProject } from './bench.ts'

const agent = await builtIn('test')
const signal = new AbortController().signal
const trusts = () => true
const hasPytest = spawnSync('python3', ['-c', 'import pytest']).status === 0

test('vitest runs from the linked node_modules, failures with file and line', async () => {
  const workspace = await folderWith({
    'package.json': '{ "type": "module", "devDependencies": { "vitest": "*" } }',
    'a.test.ts':
      "import { expect, test } from 'vitest'\ntest('one', () => {})\ntest('two', () => {\n  expect(1).toBe(2)\n})\n",
  })
  await symlink(join(import.meta.dirname, '../../node_modules'), join(workspace, 'node_modules'))
  const ran = await call(agent, 'run_tests', {}, { workspace, node: 'a.test.ts' })
  expect(ran.outcome).toBe('partial')
  expect(ran.knowledge_delta).toMatchObject({
    test_runner: 'vitest',
    tests_passed: 1,
    tests_failed: 1,
    test_failures: ['a.test.ts:4 two'],
  })
})

test('of a runner that dies before it reports anything, what it died of is told', async () => {
  const workspace = await folderWith({
    'package.json': '{ "type": "module", "devDependencies": { "vitest": "*" } }',
    'vitest.config.ts': "import 'absent-plugin'\n",
    'a.test.ts': "import { test } from 'vitest'\ntest('one', () => {})\n",
  })
  await symlink(join(import.meta.dirname, '../../node_modules'), join(workspace, 'node_modules'))
  const { error, knowledge_delta } = await call(agent, 'run_tests', {}, { workspace, node: 'a.test.ts' })
  expect(error).toMatch(/^vitest ended with 1 and no report: .*Cannot find package 'absent-plugin'/)
  expect(knowledge_delta).toEqual({ tests_failure: error })
})

test.skipIf(!hasPytest)(
  'pytest runs where the tests are for it (skipped when python3 has no pytest)',
  async () => {
    const workspace = await folderWith({
      'shop/price.py': 'def double(x):\n    return x + x\n',
      'tests/test_price.py':
        'import pytest\nfrom shop.price import double\n\ndef test_ok():\n    assert double(2) == 4\n\ndef test_bad():\n    assert double(2) == 5\n',
    })
    const ran = await call(agent, 'run_tests', {}, { workspace, node: 'shop/price.py' })
    expect(ran.knowledge_delta).toMatchObject({
      test_runner: 'pytest',
      tests_passed: 1,
      tests_failed: 1,
      test_failures: ['tests/test_price.py:8 test_bad'],
    })
  },
)

test('a test file that cannot be loaded is an error, not a pass', async () => {
  const workspace = await folderWith({ 'test_a.py': 'import unittest\nimport nothing_of_that_name\n' })
  const ran = await call(agent, 'run_tests', {}, { workspace, node: 'test_a.py' })
  expect(ran.outcome).toBe('partial')
  expect(ran.knowledge_delta['tests_errors']).toBeGreaterThan(0)
})

test('a runner that is not installed is said so', async () => {
  const workspace = await folderWith({
    'a.test.js': "import { test } from '@jest/globals'\ntest('x', () => {})\n",
  })
  expect(await call(agent, 'run_tests', {}, { workspace, node: 'a.test.js' })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining('jest, which is not installed'),
    supersedes: expect.arrayContaining(['tests_passed']),
  })
})

test('tests know nothing of our environment', async () => {
  vi.stubEnv('TWOTRACK_TEST_SECRET', 'hidden')
  onTestFinished(() => void vi.unstubAllEnvs())
  const workspace = await folderWith({
    'a.test.mjs':
      "import { test } from 'node:test'\nimport assert from 'node:assert'\ntest('x', () => assert.equal(process.env.TWOTRACK_TEST_SECRET, undefined))\n",
  })
  const ran = await call(agent, 'run_tests', {}, { workspace, node: 'a.test.mjs' })
  expect(ran.summary).toBe('The 1 test passed (node:test).')
})

/** A package with that manifest, a test, and every runner that could be meant. */
const packageWith = (manifest: string, text: string) =>
  folderWith({
    'package.json': manifest,
    'a.test.js': text,
    ...Object.fromEntries(
      ['vitest', 'jest', 'mocha', 'ava'].map((name) => [
        `node_modules/${name}/package.json`,
        JSON.stringify({ bin: { [name]: 'run.js' } }),
      ]),
    ),
  })

test.each([
  ["import { test } from 'vitest'", '{}', 'vitest'],
  ["import test from 'node:test'", '{"devDependencies":{"jest":"1"}}', 'node:test'],
  ["import { test } from '@jest/globals'", '{}', 'jest'],
  ["import test from 'ava'", '{}', 'ava'],
  ["test('x', () => {})", '{"devDependencies":{"jest":"^29"}}', 'jest'],
  ["test('x', () => {})", '{"scripts":{"test":"vitest run"}}', 'vitest'],
  ["test('x', () => {})", '{"scripts":{"test":"node --test"}}', 'node:test'],
  ["it('x', () => {})", '{"scripts":{"test":"npm run lint && npm run unit", "unit":"nyc mocha"}}', 'mocha'],
])('%s with %s is for %s', async (text, manifest, name) => {
  const workspace = await packageWith(manifest, text)
  expect((await runnerFor({ workspace, signal, trusts }, 'a.test.js')).name).toBe(name)
})

test('the options without which tests do not load are those of the script', async () => {
  const scripts = {
    test: 'xo && TZ=UTC NODE_OPTIONS="--conditions=dev" node --import tsx/esm --test test/*.ts',
  }
  const workspace = await packageWith(JSON.stringify({ scripts }), "import 'node:test'")
  const { argv, env } = await runnerFor({ workspace, signal, trusts }, 'a.test.js')
  expect(env).toEqual({ TZ: 'UTC', NODE_OPTIONS: '--conditions=dev' })
  expect(argv(['a.test.js']).slice(1)).toEqual([
    ...['--import', 'tsx/esm', '--test', '--test-reporter=tap', './a.test.js'],
  ])
})

test.each([
  ['not json', /No supported runner: neither the tests nor package\.json name one/],
  ['{"devDependencies":{"tape":"1"}}', /No supported runner: the tests are for tape/],
])('without a runner that is known by %s there is no result', async (manifest, why) => {
  const workspace = await packageWith(manifest, "test('x', () => {})")
  await expect(runnerFor({ workspace, signal, trusts }, 'a.test.js')).rejects.toThrow(why)
})

test('jest is run by exact paths, and its report is read', async () => {
  const workspace = await folderWith({
    'a.test.js': "require('@jest/globals')\n",
    'node_modules/jest/package.json': '{ "bin": "./bin/jest.js" }',
  })
  const { name, argv } = await runnerFor({ workspace, signal, trusts }, 'a.test.js')
  expect(name).toBe('jest')
  expect(argv(['a.test.js']).slice(2)).toEqual(['--ci', '--colors=false', '--runTestsByPath', './a.test.js'])
  const output = `FAIL ./a.test.js
  ✓ adds (2 ms)
  ✕ subtracts (3 ms)

  ● subtracts

    expect(received).toBe(expected) // Object.is equality

    Expected: 1
    Received: 3

      at Object.toBe (a.test.js:7:17)

Tests:       1 failed, 1 passed, 2 total
`
  const report = readReport(output)
  expect(report).toMatchObject({
    counts: { passed: 1, failed: 1 },
    problems: [{ test: 'subtracts', path: 'a.test.js', line: 7 }],
  })
})

test('tests belong to a file by name and by what they import, also through others; with the reason', async () => {
  const workspace = await folderWith({
    'src/cart.ts': '',
    'src/cart.test.ts': '',
    'src/shop.ts': "export { total } from './cart.ts'\n",
    'test/shop.spec.ts': "import { total } from '../src/cart.js'\n",
    'test/through.test.ts': "import { total } from '@/shop'\n",
    'test/other.test.ts': "import x from '../src/carts.ts'\n",
    'tsconfig.json': '{ "compilerOptions": { /* ours */ "paths": { "@/*": ["./src/*"], } } }',
    'packages/web/package.json': '{ "name": "@shop/web" }',
    'packages/web/src/index.ts': "import '../../../src/cart.ts'\n",
    'packages/app/app.test.ts': "import { x } from '@shop/web'\n",
    'shop/price.py': '',
    'shop/__init__.py': 'from .price import (\n    double,\n)\n',
    'tests/conftest.py': '',
    'tests/test_all.py': 'from shop import price\n',
    'tests/test_price.py': '',
    'tests/test_none.py': 'import os\n',
    'tests/web/conftest.py': 'import shop\n',
    'tests/web/test_page.py': '',
  })
  const graph = await openHub({ project: workspace, folder: null }).graph()
  expect(testsFor(graph, 'src/cart.ts')).toEqual([
    { path: 'src/cart.test.ts', reason: 'is named after src/cart.ts' },
    { path: 'test/shop.spec.ts', reason: 'imports src/cart.ts' },
    { path: 'packages/app/app.test.ts', reason: 'imports src/cart.ts through packages/web/src/index.ts' },
    { path: 'test/through.test.ts', reason: 'imports src/cart.ts through src/shop.ts' },
  ])
  expect(testsFor(graph, 'shop/price.py')).toEqual([
    { path: 'tests/test_price.py', reason: 'is named after shop/price.py' },
    { path: 'tests/test_all.py', reason: 'imports shop/price.py' },
    {
      path: 'tests/web/test_page.py',
      reason: 'imports shop/price.py through tests/web/conftest.py and shop/__init__.py',
    },
  ])
  expect(testsFor(graph, 'tests/test_none.py')).toEqual([
    { path: 'tests/test_none.py', reason: 'is the file itself' },
  ])
})

test('a test is written only where it is one, and only when it parses', async () => {
  const workspace = await sampleProject()
  const at = { workspace, node: 'inventory/stock.py' }
  await expect(
    call(agent, 'write_test_file', { path: 'inventory/x.py', content: 'x = 1\n' }, at),
  ).rejects.toThrow(/not named like a test/)
  await expect(
    call(agent, 'write_test_file', { path: 'tests/test_x.py', content: 'def (\n' }, at),
  ).rejects.toThrow(/does not parse at line 1/)
  const content = 'import unittest\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        pass\n'
  await call(agent, 'write_test_file', { path: 'tests/test_x.py', content }, at)
  expect(await textAt(workspace, 'tests/test_x.py')).toBe(content)
  const ran = await call(agent, 'run_tests', { path: 'tests/test_x.py' }, at)
  expect(ran.outcome).toBe('success')
})

test('existing tests and signatures are read for a model that writes one', async () => {
  const workspace = await sampleProject()
  const at = { workspace, node: 'inventory/stock.py' }
  expect((await call(agent, 'read_existing_tests', {}, at)).summary).toBe(
    'Tests of inventory/stock.py: tests/test_stock.py (imports inventory/stock.py).',
  )
  const signatures = await call(agent, 'analyze_signature', { name: 'Stock.put' }, at)
  expect(signatures.result).toMatchObject([
    { name: 'Stock.put', returns: 'None', params: [{ name: 'isbn', type: 'str' }, {}, {}] },
  ])
  await expect(call(agent, 'analyze_signature', { name: 'Stock.gone' }, at)).rejects.toThrow(/It has: Shelf/)
})

test('in a folder with spaces a failure has the path and the words that it has elsewhere', async () => {
  const folder = await folderWith({
    'Bücher und mehr/price.test.mjs':
      "import { test } from 'node:test'\nimport assert from 'node:assert/strict'\ntest('cents', () => {\n  assert.equal('4.5 €', '4.05 €')\n})\n",
    'Bücher und mehr/stock.test.cjs':
      "const { test } = require('node:test')\nconst assert = require('node:assert')\ntest('stock', () => {\n  assert.equal(1, 2)\n})\n",
  })
  const workspace = join(folder, 'Bücher und mehr')
  const failed = async (node: string) => {
    const ran = await call(agent, 'run_tests', {}, { workspace, node })
    return { failures: ran.knowledge_delta['test_failures'], problems: ran.diagnostics }
  }
  expect(await failed('price.test.mjs')).toEqual({
    failures: ['price.test.mjs:4 cents'],
    problems: [null, "price.test.mjs:4 cents: Expected values to be strictly equal: '4.5 €' !== '4.05 €'"],
  })
  expect((await failed('stock.test.cjs')).failures).toEqual(['stock.test.cjs:4 stock'])
})
