import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { registryOf } from '../../src/summarize/built-in.ts'
import { observe } from '../../src/summarize/observe.ts'
import { summarize } from '../../src/summarize/summarize.ts'
import { wrapResult } from '../../src/tool/wrap.ts'

/** What a result says of how it ended, whatever its shape. */
function ended(returned: unknown, command = 'make x', tool = 'bash') {
  const { text, output, outcome, error, own = {} } = wrapResult(returned)
  const args: Json = tool === 'bash' ? { command } : { path: command }
  const seen = observe({
    ...{ tool, args, text, outcome, turn: 1, packet: undefined },
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  })
  const summarized = summarize({ ...seen, own }, registryOf())
  return { outcome: summarized.outcome, summary: summarized.delta.add_action?.[0]?.summary ?? '' }
}

const TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x'

test.each<[string, unknown]>([
  ['an exit code', { exit_code: 1, stdout: '', stderr: 'boom' }],
  ['one in other letters', { exitCode: 2, output: 'x' }],
  ['one as text', { exit_code: '1', output: 'x' }],
  ['a return code', { returncode: 1, stdout: 'hello', stderr: '' }],
  ['a status beside output', { status: 1, stdout: 'a', stderr: '' }],
  ['a code beside output', { code: 127, stdout: '', stderr: '' }],
  ['a signal', { code: null, signal: 'SIGKILL', stdout: 'a', stderr: '' }],
  ['a deadline', { timed_out: true, stdout: 'x' }],
  ['a code in metadata', { output: 'x', metadata: { exit_code: 1, duration_seconds: 0.1 } }],
  ['a code one level down', { result: { exit_code: 1, stdout: 'x' } }],
  ['all that as JSON text', JSON.stringify({ returncode: 2, stdout: 'a', stderr: 'b' }, null, 2)],
  ['a complaint on stderr', { stdout: '', stderr: 'ls: cannot access x: No such file or directory' }],
  ['a trace on stderr', { stdout: 'some output', stderr: TRACE }],
  ['success: false', { success: false, data: 5 }],
  ['ok: false', { ok: false }],
  ['a status in words', { status: 'timeout', output: '' }],
  ['an HTTP status', { status: 404, body: 'x' }],
  ['a line at the end', 'hello\n[exit code: 1]'],
  ['a line at the start', 'Command failed with exit code 1: make x\nhello'],
])('%s that says it failed is an error', (_, returned) => {
  expect(ended(returned).outcome).toBe('error')
})

test.each<[string, unknown]>([
  ['an exit code of 0', { exit_code: 0, stdout: 'ok', stderr: 'warning: deprecated' }],
  ['a warning alone', { stdout: 'ok', stderr: 'npm warn deprecated x' }],
  ['an HTTP status of 200', { status: 200, body: 'x' }],
  ['no error', { error: null, result: 5 }],
  ['a code that is none of a process', { code: 1, name: 'Berlin' }],
])('%s is none', (_, returned) => {
  expect(ended(returned).outcome).toBe('success')
})

const FAILED = `F\n=== FAILURES ===\n____ test_a ____\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_x.py:3: AssertionError\nFAILED test_x.py::test_a - assert 1 == 2\n1 failed, 4 passed in 0.12s\n`

test.each<[string, unknown]>([
  ['as text', FAILED],
  ['with an exit code', { exit_code: 1, stdout: FAILED, stderr: '' }],
  ['without one', { stdout: FAILED, stderr: '' }],
])('tests that fail are counted, %s', (_, returned) => {
  expect(ended(returned, 'pytest')).toEqual({
    outcome: 'partial',
    summary: '$ pytest: 1 of 5 tests failed (pytest): test_a',
  })
})

const gone = (name: string) => `rm: cannot remove '${name}': No such file or directory`

test.each([
  ['a program that is not there', 'bash: line 1: msgfmt: command not found', 'msgfmt --version'],
  [
    'a wrong subcommand',
    "error: unrecognized subcommand 'x'\n\nUsage: rtk [OPTIONS]\n\nFor more information, try '--help'.",
    'rtk x',
  ],
  ['a build that ends in an error', 'compiling\nmake: *** [Makefile:192: build] Error 2', 'make'],
  ['files that are not there to remove', 'abcdef'.split('').map(gone).join('\n'), 'rm a b c d e f'],
])('%s is an error, though nothing says the exit code', (_, text, command) => {
  const { outcome, summary } = ended(text, command)
  expect(outcome).toBe('error')
  expect(summary).not.toMatch(/^Removed/)
})

test('a program that goes on after it has printed an error did not fail', () => {
  expect(ended('Error: as expected\nall fine', 'python x.py').outcome).toBe('success')
})

test.each([
  '<tool_use_error>File has been modified since read.</tool_use_error>',
  "The user doesn't want to proceed with this tool use. The tool use was rejected.",
])('an edit that was not made is none: %s', (text) => {
  const { text: shown, outcome } = wrapResult(text)
  const args = { file_path: 'a.ts', old_string: 'a', new_string: 'b' }
  const seen = observe({ tool: 'Edit', args, text: shown, outcome, turn: 1, packet: undefined })
  const { delta, outcome: told } = summarize(seen, registryOf())
  expect(told).toBe('error')
  expect(delta.add_action?.[0]?.summary).not.toMatch(/^Edited/)
})

test('"1 failed" is no success, whoever says it', () => {
  expect(ended('1 failed', 'x', 'run_tests').outcome).toBe('partial')
})

test('what can not be listed is no listing', () => {
  const missing = (name: string) => `ls: cannot access '${name}': No such file or directory`
  expect(ended(missing('a'), 'ls a').outcome).toBe('error')
  expect(ended(['a', 'b', 'c', 'd', 'e'].map(missing).join('\n'), 'ls a b c d e').outcome).toBe('error')
})

test('a report that states its total is counted by it', () => {
  const shown = Array.from(
    { length: 20 },
    (_, at) => `src/a${at}.py:1:1: F401 [*] \`os\` imported but unused`,
  )
  const { summary } = ended(`${shown.join('\n')}\nFound 49 errors.\n`, 'ruff check . | tail -21')
  expect(summary).toContain('49 errors, first')
})

test.each([true, false])('a JUnit file with 4,239 tests is counted, with totals: %s', (stated) => {
  const cases = Array.from(
    { length: 4_238 },
    (_, at) => `<testcase classname="a.b" name="test_${at}" time="0.01"/>`,
  )
  const totals = stated ? ' errors="0" failures="1" skipped="0" tests="4239"' : ''
  const bad = '<testcase classname="a" name="bad"><failure message="1 != 2">x</failure></testcase>'
  const file = `<?xml version="1.0"?><testsuites><testsuite name="pytest"${totals}>\n${bad}\n${cases.join('\n')}\n</testsuite></testsuites>`
  expect(ended(file, 'report.xml', 'read_file')).toEqual({
    outcome: 'success',
    summary: 'Read report.xml: a report of 4239 tests. 1 of 4239 tests failed: bad',
  })
  expect(ended(file, 'report.xml', 'test').outcome).toBe('partial')
})
