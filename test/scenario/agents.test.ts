import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { expectIntact, modelServer, reportIn, takesFirst } from './project.ts'

const PRICES = 'def net(gross: float, vat: int = 7) -> float:\n    return gross / (1 + vat / 100)\n'
const PRICES_TEST = `import unittest

from prices import net


class NetTest(unittest.TestCase):
    def test_net(self):
        self.assertEqual(net(107), 100)

    def test_without_vat(self):
        self.assertEqual(net(50, 0), 49)
`
const SUM = '/** @param {number[]} all */\nexport const sum = (all) => all.reduce((a, b) => a + b, 0)\n'
const SUM_TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './sum.js'

test('sums', () => {
  assert.equal(sum([1, 2]), 4)
})
`

/** A model behind HTTP that takes the packet's first candidate, as the embedded default would. */
async function withServer(): Promise<string[]> {
  const server = await modelServer(() => takesFirst)
  return ['--model', 'openai:test', '--url', `${server.url}/v1`]
}

test('docstring over HTTP: written into the workspace, taken into the project by accept', async () => {
  const cwd = folderWith({ 'prices.py': PRICES })
  const docstring = 'Take the tax out of a price.'
  const writes = reply.says({ calls: [{ tool: 'write_docstring', args: { name: 'net', docstring } }] })
  const server = await modelServer((index) => (index === 1 ? writes : takesFirst))
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`]
  const ended = await twotrack(cwd, ['run', 'docstring', 'prices.py', '--json', ...asks])
  const [done] = reportIn(ended)
  expect(done?.stop.reason).toBe('submitted')
  expect(done?.changes.map(({ path }) => path)).toEqual(['prices.py'])
  const { stdout } = await twotrack(cwd, ['changes'])
  expect(stdout).toContain(`+    """${docstring}"""`)
  expect((await twotrack(cwd, ['accept', '--all'])).code).toBe(0)
  await expectIntact(cwd)
})

test('test over HTTP: real runners, failures with file and line', async () => {
  const cwd = folderWith({
    'prices.py': PRICES,
    'test_prices.py': PRICES_TEST,
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    'sum.js': SUM,
    'sum.test.js': SUM_TEST,
  })
  const asks = await withServer()
  const ended = await twotrack(cwd, [
    'run',
    'test',
    'test_prices.py',
    'sum.test.js',
    '--json',
    '--trust',
    ...asks,
  ])
  const reports = reportIn(ended)
  expect(reports.map(({ stop }) => stop.reason)).toEqual(['submitted', 'submitted'])
  const open = reports.flatMap((report) => report.open).join('\n')
  expect(open).toContain('test_prices.py:11')
  expect(open).toContain('sum.test.js:6')
  await expectIntact(cwd)
})
