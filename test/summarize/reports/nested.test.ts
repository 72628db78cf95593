import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readable } from '../../../src/summarize/readable.ts'
import { readReport } from '../../../src/summarize/reports/reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-nested-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(
  join(folder, 'a.test.mjs'),
  `import { describe, it, test } from 'node:test'
test('fine', () => {})
test('parent', async (t) => {
  await t.test('child', () => { throw new Error('no stock') })
})
describe('suite', () => {
  it('inner', () => { throw new Error('inner') })
  it.skip('left out', () => {})
})
test('by itself', async (t) => {
  await t.test('sound', () => {})
  throw new Error('own')
})
`,
)

/** What node's own runner prints; it must not take itself for a part of another run. */
function nodeTest(reporter: string, file = 'a.test.mjs'): string {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: _options, ...env } = process.env
  const args = ['--test', `--test-reporter=${reporter}`, file]
  return spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }).stdout
}

describe('tests in tests', () => {
  test.each([
    ['spec', ['child', 'inner', 'by itself']],
    ['tap', ['parent > child', 'suite > inner', 'by itself']],
  ])('node --test, %s: what fails only by what is in it counts once', (reporter, names) => {
    const report = readReport(readable(nodeTest(reporter)))
    expect(report).toMatchObject({ tool: 'node:test', counts: { passed: 2, failed: 3, skipped: 1 } })
    expect(report?.problems.map(({ test }) => test)).toEqual(names)
    expect(report?.problems[0]).toMatchObject({ line: 4, path: expect.stringMatching(/a\.test\.mjs$/) })
  })

  test('a failed assertion is told by what differs, where it failed, and not by where its test begins', () => {
    writeFileSync(
      join(folder, 'b.test.mjs'),
      `import assert from 'node:assert/strict'
import { test } from 'node:test'
const half = (n) => {
  if (n > 1) throw new TypeError('too much')
  return n / 2
}
test('halves', () => {
  const zero = half(0)

  assert.equal(zero, 7)
})
test('throws', () => {
  half(2)
})
`,
    )
    expect(readReport(readable(nodeTest('tap', 'b.test.mjs')))?.problems).toMatchObject([
      { test: 'halves', line: 10, message: 'Expected values to be strictly equal: 0 !== 7' },
      { test: 'throws', message: 'too much' },
    ])
  })

  test("mocha's TAP: the message, and the frame of the test", () => {
    const tap =
      '1..1\nnot ok 1 cart adds up\n  Expected values to be strictly equal:\n  \n  3 !== 7\n  \n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  \n  3 !== 7\n  \n      at sum (cart.js:3:9)\n      at Context.<anonymous> (test/cart.test.js:4:37)\n# tests 1\n# pass 0\n# fail 1\n'
    expect(readReport(tap)?.problems).toMatchObject([
      {
        test: 'cart adds up',
        path: 'test/cart.test.js',
        line: 4,
        message: 'Expected values to be strictly equal: 3 !== 7',
      },
    ])
  })

  test('TAP in braces: groups are no tests', () => {
    const tap =
      'TAP version 13\n1..1\nnot ok 1 - a.test.ts # time=9ms {\n    1..2\n    not ok 1 - url {\n        1..1\n        not ok 1 - joins\n            ---\n            error:\n                message: "1 is not 2"\n            at: "/srv/a.test.ts:2:7"\n            ...\n    }\n    not ok 2 - flat\n}\n'
    expect(readReport(tap)).toMatchObject({
      counts: { passed: 0, failed: 2 },
      problems: [{ test: 'joins', message: '1 is not 2', path: '/srv/a.test.ts', line: 2 }, { test: 'flat' }],
    })
  })
})

describe('vitest with projects', () => {
  const run = (label: string) =>
    ` RUN  v4.0.1 /srv\n\n ❯ ${label}test/a.test.ts (2 tests | 1 failed) 5ms\n   × url > joins 6ms\n\n⎯⎯⎯ Failed Suites 1 ⎯⎯⎯\n\n FAIL  ${label}test/c.test.ts [ test/c.test.ts ]\nError: load\n ❯ test/c.test.ts:1:7\n\n⎯⎯⎯⎯[1/2]⎯\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  ${label}test/a.test.ts > url > joins\nAssertionError: expected 1 to be 2\n ❯ test/a.test.ts:2:75\n\n⎯⎯⎯⎯[2/2]⎯\n\n Test Files  2 failed (2)\n      Tests  1 failed | 1 passed (2)\n`

  test.each([
    ['no label', ''],
    ['|unit|', '|unit| '],
    ['a label with a space', '|my project| '],
    ['the label in colours', ' unit  '],
  ])('%s: the path is the path, and a file that could not be loaded is an error', (_, label) => {
    expect(readReport(run(label))).toMatchObject({
      tool: 'vitest',
      counts: { passed: 1, failed: 1, errors: 1 },
      problems: [
        { path: 'test/c.test.ts', line: 1, message: 'Error: load' },
        {
          path: 'test/a.test.ts',
          line: 2,
          test: 'url > joins',
          message: 'AssertionError: expected 1 to be 2',
        },
      ],
    })
  })
})

/** JSON of test runners, with one that failed. */
const JSON_RUNS = {
  mocha: {
    stats: { suites: 1, tests: 2, passes: 1, pending: 0, failures: 1 },
    tests: [
      { title: 'adds', fullTitle: 'cart adds', file: '/srv/cart.js', err: {} },
      {
        title: 'removes',
        fullTitle: 'cart removes',
        file: '/srv/cart.js',
        err: { message: '1 !== 2', stack: 'Error: 1 !== 2\n    at Context.<anonymous> (cart.js:4:32)' },
      },
    ],
    failures: [
      {
        title: 'removes',
        fullTitle: 'cart removes',
        file: '/srv/cart.js',
        err: { message: '1 !== 2', stack: 'Error: 1 !== 2\n    at Context.<anonymous> (cart.js:4:32)' },
      },
    ],
  },
  rspec: {
    version: '3.13.2',
    examples: [
      {
        id: './spec/cart_spec.rb[1:1]',
        description: 'adds',
        full_description: 'cart adds',
        status: 'passed',
        file_path: '/srv/cart.js',
        line_number: 2,
      },
      {
        id: './spec/cart_spec.rb[1:2]',
        description: 'removes',
        full_description: 'cart removes',
        status: 'failed',
        file_path: '/srv/cart.js',
        line_number: 4,
        exception: { class: 'RSpec::Expectations::ExpectationNotMetError', message: '\n1 !== 2\n' },
      },
    ],
    summary: {
      duration: 0.01,
      example_count: 2,
      failure_count: 1,
      pending_count: 0,
      errors_outside_of_examples_count: 0,
    },
    summary_line: '2 examples, 1 failure',
  },
  jest: {
    numPassedTests: 1,
    numFailedTests: 1,
    numPendingTests: 0,
    numTotalTests: 2,
    success: false,
    testResults: [
      {
        name: '/srv/cart.js',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'cart adds', status: 'passed', title: 'adds', failureMessages: [] },
          {
            fullName: 'cart removes',
            status: 'failed',
            title: 'removes',
            failureMessages: ['1 !== 2\n    at Object.toBe (/srv/cart.js:4:32)'],
          },
        ],
      },
    ],
  },
}

describe('JSON of test runners', () => {
  test.each(Object.entries(JSON_RUNS))('%s: a run that failed says so', (tool, run) => {
    for (const text of [JSON.stringify(run), `> npm test\n\n${JSON.stringify(run, null, 2)}\n`])
      expect(readReport(text)).toMatchObject({
        tool,
        kind: 'tests',
        counts: { passed: 1, failed: 1 },
        problems: [{ path: '/srv/cart.js', line: 4, test: 'cart removes', message: '1 !== 2' }],
      })
  })
})

describe('programs that die', () => {
  const died = (text: string) => readReport(text)?.problems.at(-1)

  test('Python: the error, and the innermost frame that is no library’s', () => {
    const text =
      'starting\nTraceback (most recent call last):\n  File "/srv/app.py", line 9, in main\n    run()\n  File "/srv/run.py", line 3, in run\n    raise KeyError(name)\n  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode\n    x\nKeyError: \'tea\'\ndone\n'
    expect(died(text)).toMatchObject({ path: '/srv/run.py', line: 3, message: "KeyError: 'tea'" })
  })

  test.each([
    [
      'javascript',
      '/srv/a.js:3\n  x.y()\n    ^\n\nTypeError: x is undefined\n    at Module._load (node:internal/modules/cjs/loader:1554:14)\n    at Cart.total (/srv/a.js:3:5)\n',
      '/srv/a.js',
      3,
    ],
    [
      'java',
      'Exception in thread "main" java.lang.IllegalStateException: x is undefined\n\tat shop.Cart.total(Cart.java:12)\n',
      'Cart.java',
      12,
    ],
    [
      'go',
      'panic: runtime error: x is undefined\n\ngoroutine 1 [running]:\nmain.total({0xc000, 0x2})\n\t/srv/cart.go:12 +0x1d\nexit status 2\n',
      '/srv/cart.go',
      12,
    ],
    [
      'rust',
      "thread 'main' panicked at src/main.rs:4:7:\nindex out of bounds: x is undefined\nnote: run with more\n",
      'src/main.rs',
      4,
    ],
  ])('%s: the error and its place', (_, text, path, line) => {
    expect(died(text)).toMatchObject({ path, line, message: expect.stringContaining('x is undefined') })
  })

  test('none in prose and code', () => {
    expect(readReport('The meeting is\n    at noon (in the hall)\n')).toBeUndefined()
    expect(readReport('src/a.ts:12:  throw new Error("x")\nsrc/b.rb:3:in the middle\n')).toBeUndefined()
  })
})
