import { expect, test } from 'vitest'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, folderWith, runDefault, sampleProject } from './bench.ts'

/** The bundled project with the embedded default: the first candidate, no network, no weights. */

test('lint fixes what has a safe fix in Python, and its counts are true', async () => {
  const workspace = await sampleProject()
  const lint = await builtIn('lint')
  const { stop, calls, submitted } = await runDefault(lint, workspace, 'inventory/pricing.py')
  expect(stop.reason).toBe('submitted')
  // After its result is handed in the linter has the last word.
  const called = ['run_linter', 'apply_fixes', 'submit_result', 'run_linter']
  expect(calls.map(({ tool }) => tool)).toEqual(called)
  expect(submitted).toMatchObject({
    issues_fixed: 8,
    issues_remaining: 2,
    changed_files: ['inventory/pricing.py'],
  })
  const text = await textAt(workspace, 'inventory/pricing.py')
  expect(text).not.toContain('import os')
  expect(text).toContain('prices: list[Decimal], coupon: str | None = None')
  expect(text).toContain('coupon_percent') // undefined, and not for a linter to decide
})

test('lint fixes what oxlint fixes in TypeScript, and reports the rest', async () => {
  const workspace = await sampleProject()
  const { stop, submitted, packet } = await runDefault(await builtIn('lint'), workspace, 'web/cart.ts')
  expect(stop.reason).toBe('submitted')
  expect(submitted).toMatchObject({ issues_fixed: 3, issues_remaining: 5, changed_files: ['web/cart.ts'] })
  expect(await textAt(workspace, 'web/cart.ts')).toContain('let sum = 0')
  expect(packet.diagnostics.join('\n')).toContain('web/cart.ts:29 eslint(no-debugger)')
})

test('a fix takes back at once what it made untrue: problems, candidates, the next issue', async () => {
  const { after } = await runDefault(await builtIn('lint'), await sampleProject(), 'inventory/pricing.py')
  const before = await after('run_linter')
  expect(before.diagnostics).toHaveLength(10)
  const { diagnostics, candidates, knowledge, focus } = await after('apply_fixes')
  expect(diagnostics.map(({ value }) => value)).toEqual([
    expect.stringMatching(/^inventory\/pricing\.py:23 E711 /),
    expect.stringMatching(/^inventory\/pricing\.py:24 F821 /),
  ])
  expect(candidates?.value).toEqual([])
  expect(knowledge).toMatchObject({ lint_errors_remaining: { value: 2 } })
  expect(Object.keys(knowledge)).not.toContain('next_issue')
  expect(focus?.value.text).toContain('coupon_percent')
})

test('lint hands in a clean file as clean, without a change', async () => {
  const workspace = await sampleProject()
  const before = await textAt(workspace, 'tests/test_stock.py')
  const { submitted } = await runDefault(await builtIn('lint'), workspace, 'tests/test_stock.py')
  expect(submitted).toMatchObject({ summary: 'No lint issues.', issues_fixed: 0, changed_files: [] })
  expect(await textAt(workspace, 'tests/test_stock.py')).toBe(before)
})

test('test runs unittest and reports the failure with file and line', async () => {
  const workspace = await sampleProject()
  const { stop, submitted } = await runDefault(await builtIn('test'), workspace, 'inventory/pricing.py')
  expect(stop.reason).toBe('submitted')
  expect(submitted).toMatchObject({
    tests_passing: 2,
    tests_failing: 1,
    failures: [expect.stringMatching(/^tests\/test_pricing\.py:12 test_ten_copies/)],
  })
})

test('test runs node:test, also for a file that a test of another name imports', async () => {
  const workspace = await sampleProject()
  const { submitted } = await runDefault(await builtIn('test'), workspace, 'web/format.ts')
  expect(submitted).toMatchObject({
    tests_passing: 2,
    tests_failing: 1,
    failures: ['web/cart.test.ts:18 cents have two digits'],
  })
})

test('docstring tells what is missing and proposes nothing by itself', async () => {
  const workspace = await sampleProject()
  const before = await textAt(workspace, 'inventory/stock.py')
  const docstring = await builtIn('docstring')
  const { stop, submitted, calls, open } = await runDefault(docstring, workspace, 'inventory/stock.py')
  expect(stop.reason).toBe('submitted')
  expect(calls.map(({ tool }) => tool)).toEqual(['read_current_docstring', 'submit_result'])
  expect(submitted).toEqual({
    summary: 'Without a docstring: 7. A model that writes, or a person, can document them.',
    action: 'skipped',
  })
  expect(open).toContain('inventory/stock.py:22 Stock.put has no docstring')
  expect(await textAt(workspace, 'inventory/stock.py')).toBe(before)
})

test('the packet says where the work stands and shows the code that is next', async () => {
  const docstring = await builtIn('docstring')
  const { packet, after } = await runDefault(docstring, await sampleProject(), 'inventory/stock.py')
  const begun = await after('read_current_docstring')
  expect(begun.focus?.value).toMatchObject({
    place: 'inventory/stock.py:8-14',
    text: expect.stringContaining('def room_for(self, copies: int, used: int) -> bool:'),
  })
  expect(begun.actions[0]?.output).toContain('line 22: def put(self')
  expect(packet.state_summary).toBe('7 of 7 docstrings are missing; next is Shelf: write_docstring.')
})

test('a failing test is shown by its lines and by what the runner printed', async () => {
  const { packet, after } = await runDefault(
    await builtIn('test'),
    await sampleProject(),
    'inventory/pricing.py',
  )
  const { focus, actions, diagnostics } = await after('run_tests')
  expect(focus?.value).toMatchObject({
    place: 'tests/test_pricing.py:12',
    text: expect.stringContaining('self.assertEqual(bulk_discount(10), 8)'),
  })
  expect(actions[0]?.output).toContain('\n  File "tests/test_pricing.py", line 12, in test_ten_copies')
  expect(diagnostics.map(({ value }) => value)).toEqual([
    'tests/test_pricing.py:12 test_ten_copies_get_the_first_discount: AssertionError: 0 != 8',
  ])
  expect(packet.state_summary).toMatch(/^Failing: 1, not able to run: 0, passing: 2\./)
})

test.each([
  ['lint', 'inventory/pricing.py'],
  ['test', 'inventory/pricing.py'],
  ['docstring', 'inventory/stock.py'],
])('after each call of %s the state and the candidates are those of now', async (name, file) => {
  const { statuses } = await runDefault(await builtIn(name), await sampleProject(), file)
  expect(statuses.length).toBeGreaterThan(0)
  for (const { ended, next } of statuses) expect(ended).toEqual(next)
})

test.each(['lint', 'test', 'docstring'])('%s ends also where the file is gone', async (name) => {
  const workspace = await sampleProject()
  const { stop, calls } = await runDefault(await builtIn(name), workspace, 'inventory/gone.py')
  expect(stop.reason).toBe('submitted')
  expect(calls.length).toBeLessThan(4)
})

/** Rules, candidates and tools read the state: how much of it the packet has space for changes nothing. */
const SMALL = { packetSizeLimit: 300 }

test.each(['lint', 'test', 'docstring'])(
  '%s does the same with a packet that shows next to nothing',
  async (name) => {
    const agent = await builtIn(name)
    const large = await runDefault(agent, await sampleProject(), 'inventory/pricing.py')
    const small = await runDefault(agent, await sampleProject(), 'inventory/pricing.py', SMALL)
    expect(small.stop).toEqual(large.stop)
    expect(small.calls).toEqual(large.calls)
    expect(small.open).toEqual(large.open)
  },
)

test.each([{}, SMALL])('a qualified name of 1,000 characters is told by its whole name, %o', async (more) => {
  const [outer, inner] = ['a', 'b'].map((letter) => letter.repeat(500))
  const workspace = await folderWith({
    'a.py': `class ${outer}:\n    """Outer."""\n\n    def ${inner}(self, n: int) -> int:\n        return n\n`,
  })
  const docstring = await builtIn('docstring')
  const { after } = await runDefault(docstring, workspace, 'a.py', more)
  const { knowledge } = await after('read_current_docstring')
  expect(knowledge['next_undocumented']?.value).toBe(`${outer}.${inner}`)
})

/** An agent that hands in a result has not failed, unless its own tools say that the job was not done. */
test('a linter that can not run is a failure that says so, however long its reason', async () => {
  const workspace = await folderWith({
    'ruff.toml': `line-length = "${'x'.repeat(3_000)}"\n`,
    'a.py': 'import os\n',
  })
  const { stop, failed, submitted, calls } = await runDefault(await builtIn('lint'), workspace, 'a.py')
  expect({ reason: stop.reason, failed }).toEqual({ reason: 'submitted', failed: true })
  expect(submitted).toMatchObject({
    summary: expect.stringMatching(/^The linter could not run: .*ruff/),
    issues_fixed: 0,
  })
  expect(submitted).not.toHaveProperty('issues_remaining')
  expect(calls.map(({ tool }) => tool)).toEqual(['run_linter', 'submit_result'])
})

test.each([
  ['tests/test_stock.py', false],
  ['inventory/pricing.py', true],
])('tests of %s: failed is %s', async (file, expected) => {
  const { failed } = await runDefault(await builtIn('test'), await sampleProject(), file)
  expect(failed).toBe(expected)
})

test('tests for a runner that is not supported are no result', async () => {
  const workspace = await folderWith({
    'package.json': '{ "scripts": { "test": "tape" }, "devDependencies": { "tape": "1" } }',
    'a.js': 'export const a = 1\n',
    'a.test.js': "import { a } from './a.js'\ndescribe('a', () => it('is', () => a))\n",
  })
  const { failed, submitted } = await runDefault(await builtIn('test'), workspace, 'a.js')
  expect(failed).toBe(true)
  expect(submitted).toEqual({
    summary: expect.stringContaining('No supported runner: the tests are for tape.'),
    tests_generated: 0,
    failures: [],
  })
})
