import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { candidatesOf } from '../../src/agent/rules.ts'
import type { Json } from '../../src/core/event/json.ts'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith, runDefault, sampleProject } from './bench.ts'

const lint = await builtIn('lint')
const PLAIN = { 'ruff.toml': 'lint.select = ["E", "F", "W"]\n' }

test('issues found are partial, with counts, the next issue and its place', async () => {
  const workspace = await folderWith({ ...PLAIN, 'a.py': 'import os\nimport sys\n\nprint(undefined)\n' })
  const found = await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })
  expect(found.outcome).toBe('partial')
  expect(found.knowledge_delta).toEqual({
    lint_errors_remaining: 3,
    lint_errors_fixable: 2,
    lint_warnings_remaining: 0,
    next_issue: { code: 'F401', line: 1 },
  })
  expect(await textAt(workspace, 'a.py')).toContain('import os')
})

test('what the bundled ruff does not see is left out and said: whose a module is, rules by path, the least Python', async () => {
  const workspace = await folderWith({
    'ruff.toml': `extend-exclude = ["gen"]
      lint.select = ["I", "F", "UP", "RUF100", "D103"]
      lint.per-file-ignores = { "docs/*.py" = ["F821"], "tests/**" = ["D"] }
    `,
    'a.py':
      'import b  # noqa: I001\nimport a\nfrom typing import List\nx: List = [a, b, c]\ndef f(): import os\n',
    'gen/a.py': 'import os\n',
  })
  const found = await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })
  expect(found.result).toMatchObject({ total: 1, issues: [{ code: 'F401' }] })
  const { linter } = found.result as { linter: string }
  expect(linter).toMatch(
    /^bundled ruff [\d.]+ \(ruff\.toml: without I001, F822, RUF100, UP, F821, D, which take/,
  )
  const left = await call(lint, 'run_linter', {}, { workspace, node: 'gen/a.py' })
  expect(left.result).toMatchObject({ total: 0, linter: expect.stringContaining('leaves this file out') })
})

test('where files have a Python of their own, names that come later are left to an installed ruff', async () => {
  const config = 'lint.select = ["F"]\ntarget-version = "py310"\n'
  const later = 'class A:\n    b: B\n\n\nclass B: ...\n'
  const totalWith = async (toml: string) => {
    const workspace = await folderWith({ 'ruff.toml': toml, 'new_a.py': later })
    return (await call(lint, 'run_linter', {}, { workspace, node: 'new_a.py' })).result
  }
  expect(await totalWith(config)).toMatchObject({ total: 1 })
  const own = 'per-file-target-version = { "new_*.py" = "py314" }\n'
  expect(await totalWith(own + config)).toMatchObject({ total: 0, linter: expect.stringContaining('F821') })
})

test('a table that is not all of the configuration is no answer: ruff itself has to be installed', async () => {
  const workspace = await folderWith({ 'ruff.toml': 'extend = "../ruff.toml"\n', 'a.py': 'import os\n' })
  expect(await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })).toMatchObject({
    outcome: 'error',
    error: expect.stringMatching(/checked with ruff \(ruff\.toml\), which is not installed/),
  })
})

test('a comment beside one import keeps no other from being removed', async () => {
  const source = 'import os  # for plugins\nimport re\nimport sys\n\nprint(1)\n'
  const workspace = await folderWith({ ...PLAIN, 'a.py': source })
  const fixed = await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(fixed.result).toMatchObject({ not_proposed: expect.stringContaining('# for plugins') })
  expect(await textAt(workspace, 'a.py')).toBe('import os  # for plugins\n\nprint(1)\n')
})

test('fixes keep what a program does: a comparison with None is left to a decision', async () => {
  const source = 'def f(a):\n    return a == None\n'
  const workspace = await folderWith({ ...PLAIN, 'a.py': source })
  const at = { workspace, node: 'a.py' }
  expect((await call(lint, 'apply_fixes', {}, at)).outcome).toBe('partial')
  expect(await textAt(workspace, 'a.py')).toBe(source)
})

test('what is imported in a try stays: whether it can be is what is asked there', async () => {
  const source =
    'import sys\ntry:\n    import threading\n    HAS = True\nexcept Exception:\n    HAS = False\n'
  const workspace = await folderWith({ ...PLAIN, 'a.py': source })
  await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(await textAt(workspace, 'a.py')).toBe(source.replace('import sys\n', ''))
})

test("a package's __init__.py keeps the imports that it may offer to others", async () => {
  const workspace = await folderWith({ ...PLAIN, 'pkg/__init__.py': 'from .a import b\n' })
  const found = await call(lint, 'run_linter', {}, { workspace, node: 'pkg/__init__.py' })
  expect(found.knowledge_delta).toMatchObject({ lint_errors_remaining: 1, lint_errors_fixable: 0 })
})

test('places count in characters beyond ASCII, and line endings stay', async () => {
  const workspace = await folderWith({ ...PLAIN, 'a.py': 'print("😀é"); import os;\r\nprint(1);\r\n' })
  await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(await textAt(workspace, 'a.py')).toContain('print("😀é")')
  expect(await textAt(workspace, 'a.py')).toContain('print(1)\r\n')
})

test('a byte order mark stays, and a file that is no UTF-8 text is left alone', async () => {
  const workspace = await folderWith({ ...PLAIN, 'a.py': '\uFEFFimport os\nprint(1)\n' })
  await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(await textAt(workspace, 'a.py')).toBe('\uFEFFprint(1)\n')
  const latin = Buffer.from('import os # caf\xe9\n', 'latin1')
  await writeFile(`${workspace}/b.py`, latin)
  await expect(call(lint, 'apply_fixes', {}, { workspace, node: 'b.py' })).rejects.toThrow(/not UTF-8/)
  expect(await readFile(`${workspace}/b.py`)).toEqual(latin)
})

test('a file that does not parse is reported, not changed', async () => {
  const source = 'import os\ndef broken(:\n'
  const workspace = await folderWith({ ...PLAIN, 'a.py': source })
  const { submitted } = await runDefault(lint, workspace, 'a.py')
  expect(submitted).toMatchObject({ issues_fixed: 0 })
  expect(await textAt(workspace, 'a.py')).toBe(source)
})

test("ruff takes the nearest configuration and the project's own rules", async () => {
  const workspace = await folderWith({
    'pyproject.toml': '[tool.ruff.lint]\nselect = ["F", "D103"]\n',
    'a.py': 'def f():\n    return 1\n',
    'inner/ruff.toml': 'lint.select = ["F"]\n',
    'inner/c.py': 'def f():\n    return 1\n',
  })
  const remaining = async (node: string) =>
    (await call(lint, 'run_linter', {}, { workspace, node })).knowledge_delta['lint_errors_remaining']
  expect(await remaining('a.py')).toBe(1)
  expect(await remaining('inner/c.py')).toBe(0)
})

test('a configuration that ruff refuses is named', async () => {
  const workspace = await folderWith({ 'ruff.toml': 'nonsense = 1\n', 'a.py': 'x = 1\n' })
  expect(await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })).toMatchObject({
    outcome: 'error',
    error: expect.stringMatching(/ruff can't use ruff\.toml.*nonsense/),
    supersedes: expect.arrayContaining(['lint_errors_remaining']),
  })
  const { stop, submitted } = await runDefault(lint, workspace, 'a.py')
  expect(stop.reason).toBe('submitted')
  expect(submitted).toMatchObject({ summary: expect.stringContaining('could not run') })
})

test('oxlint takes the configuration of the project and of the folders in it', async () => {
  const workspace = await folderWith({
    '.oxlintrc.json': '{ "rules": { "no-var": "error" } }',
    'a.js': 'var a = 1\nexport { a }\n',
    'inner/.oxlintrc.json': '{ "rules": { "no-var": "off" } }',
    'inner/b.js': 'var b = 1\nexport { b }\n',
  })
  const remaining = async (node: string) =>
    (await call(lint, 'run_linter', {}, { workspace, node })).knowledge_delta['lint_errors_remaining']
  expect(await remaining('a.js')).toBe(1)
  expect(await remaining('inner/b.js')).toBe(0)
})

test('a configuration that oxlint refuses is told with its own words', async () => {
  const workspace = await folderWith({ '.oxlintrc.json': '{ not json', 'a.js': 'debugger\n' })
  expect(await call(lint, 'run_linter', {}, { workspace, node: 'a.js' })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining('oxlint could not run; it said: Failed to parse'),
  })
})

test('checking leaves no trace in the workspace', async () => {
  const workspace = await sampleProject()
  await mkdir(`${workspace}/web/deps`)
  await symlink(`${workspace}/inventory`, `${workspace}/web/deps/inventory`)
  const before = await textAt(workspace, 'web/cart.ts')
  await call(lint, 'run_linter', {}, { workspace, node: 'web/cart.ts' })
  expect(await textAt(workspace, 'web/cart.ts')).toBe(before)
})

test('what can be done next is not more and not less than what is true', () => {
  const proposed = (knowledge: Record<string, Json>, tool: string) =>
    candidatesOf(lint.definition.candidates, {
      turn: 1,
      node: { id: 'a.py', type: 'file' },
      knowledge: { lint_errors_at_start: 3, lint_errors_remaining: 3, ...knowledge },
      actions: [{ tool, outcome: 'partial', summary: '', turn: 1 }],
      calls: {},
      diagnostics: [],
      last_error: null,
    }).map((one) => `${one.tool}: ${one.reason}`)
  expect(proposed({ lint_errors_fixable: 2 }, 'run_linter')).toEqual([
    'apply_fixes: 2 issues have a safe fix.',
  ])
  expect(proposed({ lint_errors_fixable: 0 }, 'run_linter')).toEqual([
    'submit_result: There is nothing to fix.',
  ])
  expect(proposed({ lint_errors_fixable: 2, fix_applied: false }, 'run_linter')).toEqual([
    'submit_result: The fixes change nothing.',
  ])
})
