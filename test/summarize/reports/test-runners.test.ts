import { describe, expect, it } from 'vitest'
import { readable } from '../../../src/summarize/readable.ts'
import { readReport } from '../../../src/summarize/reports/reports.ts'
import { fixture } from './fixture.ts'

/** Output, its counts, and the first failure, all recognised without a hint. */
const RUNS = [
  {
    file: 'pytest.txt',
    tool: 'pytest',
    counts: { passed: 5, failed: 2, errors: 1, skipped: 1, warnings: 3 },
    first: {
      path: 'tests/test_cart.py',
      line: 18,
      test: 'test_total_with_discount',
      message: 'AssertionError: assert 90.0 == 85.5',
    },
  },
  {
    file: 'unittest.txt',
    tool: 'unittest',
    counts: { passed: 9, failed: 1, errors: 1, skipped: 1 },
    first: { path: '/srv/shop/tests/test_stock.py', line: 31, message: 'AssertionError: 3 != 4' },
  },
  {
    file: 'node-test.txt',
    tool: 'node:test',
    counts: { passed: 3, failed: 1, skipped: 1 },
    first: { path: 'test/parse.test.js', line: 12, column: 1, test: 'keeps trailing commas' },
  },
  {
    file: 'tap.txt',
    tool: 'tap',
    counts: { passed: 2, failed: 1, skipped: 1 },
    first: { test: 'index > writes the index', message: 'expected 3 entries' },
  },
  {
    file: 'jest.txt',
    tool: 'jest',
    counts: { passed: 11, failed: 1, skipped: 2 },
    first: { path: 'src/price.test.js', line: 14, test: 'price › rounds half up' },
  },
  {
    file: 'vitest.txt',
    tool: 'vitest',
    counts: { passed: 7, failed: 1, skipped: 1 },
    first: { path: 'test/url.test.ts', line: 22, test: 'url > joins without a double slash' },
  },
  {
    file: 'mocha.txt',
    tool: 'mocha',
    counts: { passed: 6, failed: 1, skipped: 1 },
    first: { path: 'test/queue.js', line: 41, test: 'keeps the order' },
  },
  {
    file: 'bun-test.txt',
    tool: 'bun test',
    counts: { passed: 4, failed: 1 },
    first: { path: '/srv/app/src/slug.test.ts', line: 9, test: 'slug > drops accents' },
  },
  {
    file: 'go-test.txt',
    tool: 'go test',
    counts: { passed: 1, failed: 2, skipped: 1, errors: 1 },
    first: { path: 'broken/broken_test.go', line: 5, message: '"os" imported and not used' },
  },
  {
    file: 'cargo-test.txt',
    tool: 'cargo test',
    counts: { passed: 3, failed: 1, skipped: 1 },
    first: { path: 'src/lib.rs', line: 44, test: 'tests::wraps_around' },
  },
  {
    file: 'dotnet-test.txt',
    tool: 'tests',
    counts: { passed: 8, failed: 1, skipped: 2 },
    first: undefined,
  },
  {
    file: 'surefire.txt',
    tool: 'tests',
    counts: { passed: 6, failed: 1, errors: 1, skipped: 0 },
    first: undefined,
  },
  {
    file: 'gradle.txt',
    tool: 'tests',
    counts: { passed: 11, failed: 1, skipped: 1 },
    first: undefined,
  },
  {
    file: 'phpunit.txt',
    tool: 'tests',
    counts: { passed: 9, failed: 1, errors: 1, skipped: 1 },
    first: undefined,
  },
  {
    file: 'rspec.txt',
    tool: 'tests',
    counts: { passed: 10, failed: 1, skipped: 1 },
    first: undefined,
  },
]

describe('test runners', () => {
  for (const { file, tool, counts, first } of RUNS) {
    it(`reads ${file}`, () => {
      const report = readReport(readable(fixture(file)))
      expect(report?.tool).toBe(tool)
      expect(report?.kind).toBe('tests')
      expect(report?.counts).toMatchObject(counts)
      if (first) expect(report?.problems[0]).toMatchObject(first)
    })
  }

  it('counts from what is left when the totals were cut off', () => {
    const head = fixture('pytest.txt').split('\n').slice(0, 8).join('\n')
    expect(readReport(head)?.counts).toMatchObject({ passed: 5, failed: 2, errors: 1, skipped: 1 })
    const tail = fixture('pytest.txt').split('\n').slice(-5).join('\n')
    const cut = readReport(tail)
    expect(cut?.counts).toMatchObject({ passed: 5, failed: 2 })
    expect(cut?.problems.map((problem) => problem.test)).toContain('test_total_with_discount')
  })

  it('reads go test -json as the text it wraps', () => {
    const events = fixture('go-test.txt')
      .split('\n')
      .map((line) => JSON.stringify({ Action: 'output', Package: 'example.com/ring', Output: `${line}\n` }))
    expect(readReport(events.join('\n'))?.counts).toEqual(readReport(fixture('go-test.txt'))?.counts)
  })

  it('says how many packages are ok when go test lists no tests', () => {
    const report = readReport('ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n')
    expect(report).toMatchObject({ tool: 'go test', counts: { failed: 0 }, note: '2 packages ok' })
  })

  it('takes the totals of a runner that nobody has described', () => {
    for (const [line, counts] of [
      ['3 tests, 1 failure', { passed: 2, failed: 1 }],
      ['Tests: 12, Assertions: 30, Failures: 2.', { passed: 10, failed: 2 }],
      ['ok | 5 passed | 1 failed (20ms)', { passed: 5, failed: 1 }],
      ['Tests: succeeded 5, failed 1, canceled 0, ignored 2, pending 0', { passed: 5, failed: 1 }],
      ['\t Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds', { passed: 4, failed: 1 }],
    ] as const)
      expect(readReport(`running\n${line}\n`)?.counts, line).toMatchObject(counts)
  })

  it('takes prose with numbers for no totals', () => {
    for (const line of [
      'The 3 tests that failed were flaky, 2 passed later on.',
      '12 files passed through the filter',
      'we have 5 errors and 3 warnings in production',
      'passed: true, failed: false',
    ])
      expect(readReport(`${line}\n`), line).toBeUndefined()
  })

  it('gives a message of go test to the test that wrote it', () => {
    expect(readReport(fixture('go-test.txt'))?.problems).toContainEqual(
      expect.objectContaining({
        path: 'ring_test.go',
        line: 27,
        test: 'TestRing/wraps',
        message: 'got 3, want 4',
      }),
    )
    const quiet = '--- FAIL: TestA (0.00s)\n    a_test.go:3: no stock\nFAIL\nFAIL\texample.com/a\t0.003s\n'
    expect(readReport(quiet)?.problems).toMatchObject([{ path: 'a_test.go', line: 3, message: 'no stock' }])
    const died = 'panic: no stock\n\ngoroutine 1 [running]:\nFAIL\texample.com/a\t0.003s\n'
    expect(readReport(died)).toMatchObject({
      counts: { errors: 1 },
      problems: [{ message: 'panic: no stock' }],
    })
  })

  it('counts JUnit XML by its own totals, and by its cases', () => {
    const cases = Array.from({ length: 5_000 }, (_, at) =>
      at % 1_000 === 0
        ? `<testcase classname="a.B" name="t${at}" file="a.py" line="3"><failure message="no &lt;x&gt;">trace</failure></testcase>`
        : `<testcase classname="a.B" name="t${at}"/>`,
    ).join('\n')
    const suite = (attributes: string) =>
      `<?xml version="1.0"?>\n<testsuites><testsuite name="s"${attributes}>\n${cases}\n</testsuite></testsuites>`
    const report = readReport(suite(''))
    expect(report?.counts).toMatchObject({ passed: 4_995, failed: 5, errors: 0, skipped: 0 })
    expect(report?.problems[0]).toMatchObject({ path: 'a.py', line: 3, test: 't0', message: 'no <x>' })
    expect(readReport(suite(' tests="6000" failures="7" errors="1" skipped="2"'))?.counts).toMatchObject({
      passed: 5_990,
      failed: 7,
      errors: 1,
      skipped: 2,
    })
  })

  it('sums the totals of cargo test over its binaries', () => {
    const binary = (n: number) =>
      `running ${n} tests\n\ntest result: ok. ${n} passed; 0 failed; 1 ignored; 0 measured\n`
    expect(readReport(`${binary(2)}\n${binary(5)}`)?.counts).toEqual({ passed: 7, failed: 0, skipped: 2 })
  })
})
