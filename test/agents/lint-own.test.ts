import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { put, textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith } from './bench.ts'

const lint = await builtIn('lint')
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** A project that has this repository's own oxlint or biome installed. */
async function projectWith(tool: 'oxlint' | 'biome', files: Record<string, string>): Promise<string> {
  const name = tool === 'biome' ? '@biomejs/biome' : tool
  const folder = await folderWith({
    ...files,
    [`node_modules/.bin/${tool}`]: `#!/bin/sh\nexec "${join(MODULES, '.bin', tool)}" "$@"\n`,
    [`node_modules/${name}/package.json`]: `{ "version": "9.9.9" }`,
  })
  await chmod(join(folder, 'node_modules/.bin', tool), 0o755)
  return folder
}

/** A program that speaks as a linter or formatter does, with a fault of its own. */
async function withProgram(folder: string, path: string, script: string): Promise<void> {
  await put(folder, { [path]: `#!${process.execPath}\n${script}` })
  await chmod(join(folder, path), 0o755)
}

/** A ruff that reports what it is told to find, and tells with the rule X1 how to replace one text by another. */
const ruffThat = (replace: [string, string], finds: Record<string, string>) => `
const { readFileSync } = require('node:fs')
const [, , ...args] = process.argv
const files = args.filter((arg) => arg.endsWith('.py'))
if (args[0] === '--version') console.log('ruff 1.2.3')
else {
  if (!args.includes('--no-fix')) throw new Error('a configuration with fix = true would write the file')
  const [from, to] = ${JSON.stringify(replace)}
  const found = files.flatMap((filename) => Object.entries(${JSON.stringify(finds)}).flatMap(([part, code]) => {
    const text = readFileSync(filename, 'utf8')
    if (!text.includes(part)) return []
    const at = text.indexOf(from)
    const fix = code === 'X1' && at >= 0 ? { range: [at, at + from.length], text: to } : null
    return { code, filename, message: 'found ' + part, location: { row: 1, column: 1 }, fix }
  }))
  console.log(JSON.stringify(found))
}`

test("the project's own linter runs, with its version and configuration", async () => {
  const workspace = await projectWith('oxlint', {
    'package.json': '{ "scripts": { "lint": "oxlint src" } }',
    '.oxlintrc.json': '{ "rules": { "no-var": "error" } }',
    'src/a.ts': 'var a = 1\nexport { a }\n',
    'other/b.ts': 'var b = 1\nexport { b }\n',
  })
  const found = await call(lint, 'run_linter', {}, { workspace, node: 'src/a.ts' })
  expect(found).toMatchObject({
    result: { linter: 'oxlint 9.9.9 (.oxlintrc.json)', total: 1, fixable: 1 },
  })
  const left = await call(lint, 'run_linter', {}, { workspace, node: 'other/b.ts' })
  expect(left.result).toMatchObject({ total: 0, linter: expect.stringContaining('leaves this file out') })
})

test('biome is run as the scripts of the project run it', async () => {
  const workspace = await projectWith('biome', {
    'package.json': '{ "scripts": { "check": "biome check ." } }',
    'biome.json': '{ "formatter": { "indentStyle": "space" } }',
    'a.ts': 'export const a = !(!true)\nlet b = 1;   export { b }\n',
  })
  await call(lint, 'apply_fixes', {}, { workspace, node: 'a.ts' })
  expect(await textAt(workspace, 'a.ts')).toBe('export const a = !!true;\nconst b = 1;\n\nexport { b };\n')
})

test('a linter that is configured and not installed is named; no other one answers for it', async () => {
  const workspace = await folderWith({ 'eslint.config.js': 'export default []\n', 'a.js': 'debugger\n' })
  expect(await call(lint, 'run_linter', {}, { workspace, node: 'a.js' })).toMatchObject({
    outcome: 'error',
    error: expect.stringMatching(/checked with eslint \(eslint\.config\.js\), which is not installed/),
  })
})

test('a project that names no rules and pins another ruff is checked by the rules that every version has', async () => {
  const ruff = `
    const [, , ...args] = process.argv
    if (args[0] === '--version') console.log('ruff 0.16.9')
    else {
      const found = args.includes('--select=E4,E7,E9,F') ? ['F401'] : ['F401', 'I001']
      console.log(JSON.stringify(found.map((code) => ({ code, filename: 'a.py', message: code, location: { row: 1, column: 1 } }))))
    }`
  const hooks = (rev: string) =>
    `repos:\n  - repo: https://github.com/astral-sh/ruff-pre-commit\n    rev: ${rev}\n`
  const commit = 'c60c980e561ed3e73101667fe8365c609d19a438'
  for (const [rev, config, found] of [
    [`${commit}  # frozen: v0.15.9`, '', 1],
    ['v0.15.9', '', 1],
    ['v0.15.9', '[lint]\nselect = ["F", "I"]\n', 2],
    ['v0.16.9', '', 2],
    [commit, '', 2],
  ] as const) {
    const files = { 'ruff.toml': config, '.pre-commit-config.yaml': hooks(rev), 'a.py': 'import os\n' }
    const workspace = await folderWith(files)
    await withProgram(workspace, '.venv/bin/ruff', ruff)
    const checked = await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })
    expect(checked.knowledge_delta, `${rev} ${config}`).toMatchObject({ lint_errors_remaining: found })
  }
})

test('a fix that loses a comment is not proposed; the reason is told', async () => {
  const source = 'import os  # for plugins\nx = 1\n'
  const workspace = await folderWith({ 'ruff.toml': '', 'a.py': source })
  await withProgram(
    workspace,
    '.venv/bin/ruff',
    ruffThat(['import os  # for plugins\n', ''], { 'import os': 'X1' }),
  )
  const fixed = await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(fixed).toMatchObject({ outcome: 'partial', knowledge_delta: { fix_applied: false } })
  const why = 'the fix would change or remove a comment: # for plugins'
  expect(fixed.summary).toContain(why)
  const checked = await call(lint, 'run_linter', {}, { workspace, node: 'a.py' })
  expect(checked.knowledge_delta).toMatchObject({ lint_errors_fixable: 0, fix_refused: why })
  expect(await textAt(workspace, 'a.py')).toBe(source)
})

test('a fix that brings a new problem, or a file that does not parse, is not proposed', async () => {
  for (const [replacement, reason] of [
    ['y = 2', /reports something new: X2 found y = 2/],
    ['def (', /would not parse/],
  ] as const) {
    const workspace = await folderWith({ 'ruff.toml': '', 'a.py': 'x = 1\n' })
    await withProgram(
      workspace,
      '.venv/bin/ruff',
      ruffThat(['x = 1', replacement], { 'x = 1': 'X1', 'y = 2': 'X2' }),
    )
    const fixed = await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
    expect(fixed.summary).toMatch(reason)
    expect(await textAt(workspace, 'a.py')).toBe('x = 1\n')
  }
})

test('imports are sorted once other fixes are made: what these leave may be sorted', async () => {
  const workspace = await folderWith({ 'ruff.toml': '', 'a.py': 'import b\nimport a\n' })
  // To sort would leave a blank line that was not there; b is used by nobody.
  const ruff = `
    const text = require('node:fs').readFileSync('a.py', 'utf8')
    const told = (code, fix) => ({ code, filename: 'a.py', message: code, location: { row: 1, column: 1 }, fix })
    if (process.argv[2] === '--version') console.log('ruff 1.2.3')
    else console.log(JSON.stringify(text.includes('import b') ? [
      told('F401', { range: [text.indexOf('import b'), text.indexOf('import b') + 9], text: '' }),
      ...text.includes('b\\nimport a') ? [told('I001', { range: [0, 18], text: '\\nimport a\\nimport b\\n' })] : [],
    ] : []))`
  await withProgram(workspace, '.venv/bin/ruff', ruff)
  await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
  expect(await textAt(workspace, 'a.py')).toBe('import a\n')
})

test("the project's formatter lays out what a fix changed, and refuses a file that was never formatted", async () => {
  const formatter = `
    const { readFileSync, writeFileSync } = require('node:fs')
    if (process.argv[2] === '--version') console.log('black, 1.0.0')
    else for (const file of process.argv.filter((arg) => arg.endsWith('.py')))
      writeFileSync(file, readFileSync(file, 'utf8').replace(/ *= */g, ' = '))`
  for (const [before, after] of [
    ['x = 1\nz = 3\n', 'y = 2\nz = 3\n'],
    ['x = 1\nz=3\n', 'x = 1\nz=3\n'],
  ] as const) {
    const workspace = await folderWith({ 'pyproject.toml': '[tool.ruff]\n[tool.black]\n', 'a.py': before })
    await withProgram(workspace, '.venv/bin/ruff', ruffThat(['x = 1', 'y=2'], { 'x = 1': 'X1' }))
    await withProgram(workspace, '.venv/bin/black', formatter)
    await call(lint, 'apply_fixes', {}, { workspace, node: 'a.py' })
    expect(await textAt(workspace, 'a.py')).toBe(after)
  }
})
