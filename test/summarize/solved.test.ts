import { expect, test } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'

/** A run that calls a shell: what its packet says is open, after each command. */
async function shell() {
  const memory = await Memory.open({ store: memoryStore(), agentId: 'a', goal: 'Make the checks pass.' })
  return {
    memory,
    async run(command: string, exit_code: number, stdout = '') {
      await memory.startTurn()
      const call = await memory.recordCall({ tool: 'bash', args: { command } })
      await memory.recordResult({ call, returned: { exit_code, stdout, stderr: '' } })
      return memory.packet.diagnostics
    },
  }
}

const checks = [
  [
    'tsc',
    'npx tsc --noEmit',
    "src/cart.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    'eslint',
    'npx eslint src',
    "\n/repo/src/cart.ts\n  3:7  error  'total' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n",
  ],
  ['flake8', 'flake8 shop', "./shop/cart.py:4:1: F401 'sys' imported but unused"],
  [
    'markdownlint',
    'npx markdownlint-cli2 docs/a.md',
    'Linting: 1 file\nSummary: 1 issue in 1 file\ndocs/a.md:95:75 error MD059/descriptive-link-text Link text should be descriptive [Context: "[here]"]',
  ],
  ['go vet', 'go vet ./...', '# shop\n./cart.go:12:2: unreachable code'],
  [
    'stylelint',
    'npx stylelint renderer/style.css',
    "renderer/style.css\n  46:3   ✖  Unexpected longhand value '0 5px 0 5px'  shorthand-property-no-redundant-values\n\n1 problem (1 error, 0 warnings)",
  ],
] as const

test.each(checks)('a clean run of %s closes what it reported', async (_, command, report) => {
  const { memory, run } = await shell()
  expect(await run(command, 1, report)).toHaveLength(1)
  expect(await run('ls', 0, 'README.md')).toHaveLength(1)
  expect(await run(command, 0)).toEqual([])
  await memory.close()
})

test.each(checks)('a problem of %s whose file was changed since says so', async (_, command, report) => {
  const { memory, run } = await shell()
  const [problem = ''] = await run(command, 1, report)
  const path = /[\w./]+\.\w+/.exec(problem)?.[0] ?? ''
  const [now = ''] = await run(`sed -i 's/before it was so/after/' ${path}`, 0)
  expect(now).toMatch(/ \(the file was changed since, #\d+\)$/)
  expect(now.startsWith(problem)).toBe(true)
  await memory.close()
})

test('a check of other files closes nothing', async () => {
  const { memory, run } = await shell()
  await run('flake8 shop/cart.py', 1, "shop/cart.py:4:1: F401 'sys' imported but unused")
  expect(await run('flake8 shop/order.py', 0)).toHaveLength(1)
  expect(await run('flake8 shop', 0)).toEqual([])
  await memory.close()
})

test('a script that died is no open problem once the same command ran to its end', async () => {
  const { memory, run } = await shell()
  const died =
    'Traceback (most recent call last):\n  File "/repo/shop/model.py", line 83, in get\n    x = y\nNameError: name \'y\' is not defined'
  expect(await run('python reproduce.py', 1, died)).toHaveLength(1)
  expect(await run('python other.py', 0, 'one\ntwo')).toHaveLength(1)
  expect(await run('python reproduce.py', 0, 'SELECT 1\nSELECT 2')).toEqual([])
  await memory.close()
})

test('counts of a check that are none are not told, and do not stand from before', async () => {
  const { memory, run } = await shell()
  await run('npx eslint src', 1, checks[1][2])
  expect(memory.packet.knowledge).toMatchObject({ linter_errors: { value: 1 } })
  await run('npx eslint src', 0, 'All files pass linting: 0 problems (0 errors, 0 warnings)')
  await run('python3 -m pytest -q', 0, '........                        [100%]\n8 passed in 0.04s')
  expect(Object.keys(memory.packet.knowledge).filter((name) => name.startsWith('tests'))).toEqual([
    'tests_failed',
    'tests_passed',
  ])
  await memory.close()
})

test('what a check finds before any change is what there is to do, and after one the change has failed', async () => {
  const { memory, run } = await shell()
  const found = "shop/cart.py:4:1: F401 'sys' imported but unused"
  await run('flake8 shop', 1, found)
  expect(memory.packet).toMatchObject({ diagnostics: [expect.stringContaining('F401')], failed_attempts: [] })
  await run("sed -i 's/import sys/import os, sys/' shop/cart.py", 0)
  await run('flake8 shop', 1, `${found}\nshop/cart.py:4:1: F401 'os' imported but unused`)
  expect(memory.packet.failed_attempts).toEqual([expect.stringContaining('flake8 shop')])
  await memory.close()
})

test.each([
  'Please always provide EXACTLY ONE action in triple backticks, found 2 actions.',
  'Sibling tool call errored',
])('an edit that was not tried has not failed: %s', async (notice) => {
  const { memory } = await shell()
  for (const returned of [notice, 'Error: no replacement was performed, old_str not found in file']) {
    await memory.startTurn()
    const args = { path: 'shop/cart.py', old_str: 'a', new_str: 'b' }
    const call = await memory.recordCall({ tool: 'edit', args })
    await memory.recordResult({ call, returned })
    expect(memory.packet.recent_actions.at(-1)).toMatchObject({ outcome: 'error' })
    expect(memory.packet.failed_attempts).toHaveLength(returned === notice ? 0 : 1)
  }
  await memory.close()
})

test('a file that git brought back is told as restored, without what had been changed', async () => {
  const { memory, run } = await shell()
  await run("cat > shop/cart.py <<'EOF'\ndef total():\n    return 1\nEOF", 0)
  await run('git checkout shop/cart.py', 0, 'Updated 1 path from the index')
  expect(memory.packet.changed).toMatchObject([{ path: 'shop/cart.py', what: 'restored, as it was before' }])
  expect(memory.packet.files).toMatchObject([{ path: 'shop/cart.py', regions: [], stale: null }])
  await run("sed -i 's/return 1/return 2/' shop/cart.py", 0)
  expect(memory.packet.changed[0]?.what).toBe('+1 −1')
  await memory.close()
})

test.each(['shop/cart.py', 'D:\\shop\\cart.py'])(
  'an edit of %s is told with what it touched',
  async (path) => {
    const { memory } = await shell()
    await memory.startTurn()
    const call = await memory.recordCall({
      tool: 'edit',
      args: {
        path,
        old_string: 'def total(self):\n    return 1',
        new_string: 'def total(self):\n    return 2',
      },
    })
    await memory.recordResult({ call, returned: 'The file was updated.' })
    expect(memory.packet.recent_actions.at(-1)?.summary).toBe(`Edited ${path} in total: 2 lines became 2`)
    await memory.close()
  },
)

test('what a check counted is forgotten when it comes out clean, whoever says so', async () => {
  const { memory, run } = await shell()
  await run('golangci-lint run ./...', 1, 'cart.go:3:7: undefined: total (typecheck)')
  await run('npx eslint src', 1, checks[1][2])
  const counts = () =>
    Object.entries(memory.packet.knowledge).flatMap(([name, { value }]) => (value === 0 ? [] : name))
  const before = counts()
  expect(before.length).toBeGreaterThan(1)
  await run('npx eslint src', 0)
  expect(counts().length).toBeLessThan(before.length)
  await run('golangci-lint run ./...', 0, '0 issues.')
  expect(counts()).toEqual([])
  await memory.close()
})

test('another script of a package closes nothing', async () => {
  const { memory, run } = await shell()
  expect(await run('npm run lint', 1, checks[1][2])).toHaveLength(1)
  expect(await run('npm run build', 0)).toHaveLength(1)
  expect(await run('npm run lint', 0)).toEqual([])
  await memory.close()
})
