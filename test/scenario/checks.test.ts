import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { reportIn, textOf } from './project.ts'

/** A linter that nobody knows: it wants every note to have a name, and can give it one. */
const NOTES = `#!/bin/sh
if [ "$1" = --give ]; then shift; sed -i 's/# note:/# note(me):/' "$@"; exit 0; fi
grep -n '# note:' "$@" /dev/null | sed -E 's/^([^:]+):([0-9]+):.*/\\1:\\2: N1 a note without a name/'
`
const CHECKS = `checks:
  - name: notes
    files: '*.py'
    check: tools/notes {files}
    report: lines
`

function projectWith(files: Record<string, string>): string {
  const cwd = folderWith({ 'tools/notes': NOTES, ...files })
  chmodSync(join(cwd, 'tools/notes'), 0o755)
  return cwd
}

test('five lines of YAML are a linter, once they are trusted', async () => {
  const cwd = projectWith({ 'twotrack.yaml': CHECKS, 'a.py': 'x = 1  # note: why\n', 'b.py': 'y = 2\n' })
  const refused = await twotrack(cwd, ['run', 'lint'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('settings twotrack.yaml') })
  const { code, stdout, stderr } = await twotrack(cwd, ['run', 'lint', '--trust'])
  expect(code).toBe(1)
  expect(stderr).toContain('Linted with notes (checks of twotrack.yaml).')
  expect(stdout).toContain('\n    1 N1 a note without a name')
  expect(stdout).toContain('Nothing to do for 1 other.')
})

test("standard speaks as standard does; its options in the project's script count", async () => {
  const cwd = projectWith({
    'package.json': '{ "scripts": { "lint": "standard --env mocha" } }',
    'node_modules/standard/package.json': '{ "version": "14.3.4" }',
    'node_modules/.bin/standard': `#!/bin/sh
case "$*" in *--fix*) sed -i 's/;$//' a.js; exit 0; esac
grep -q ';' a.js || exit 0
echo "  $PWD/a.js:1:6: Extra semicolon. (semi)"; echo "  $PWD/a.js:1:6: $1 $2 $3 (node/x) (warning)"; exit 1
`,
    'a.js': 'f(1);\n',
  })
  chmodSync(join(cwd, 'node_modules/.bin/standard'), 0o755)
  const { stderr } = await twotrack(cwd, ['run', 'lint', '--trust'])
  expect(stderr).toContain('Linted with standard 14.3.4 (package.json).')
  expect((await twotrack(cwd, ['changes'])).stdout).toContain('-f(1);\n+f(1)')
  expect((await twotrack(cwd, ['show', 'lint#1', '--search', '--verbose --env mocha', '--json'])).code).toBe(
    0,
  )
})

test('what it fixes is proposed once it has looked again; a fix that loses a comment is not', async () => {
  const fix = '    fix: tools/notes --give {files}\n'
  const cwd = projectWith({ 'twotrack.yaml': CHECKS + fix, 'a.py': 'x = "# note: why"\n' })
  await twotrack(cwd, ['run', 'lint', '--trust'])
  await twotrack(cwd, ['accept', '--all', '--trust'])
  expect(textOf(cwd, 'a.py')).toBe('x = "# note(me): why"\n')
  writeFileSync(join(cwd, 'a.py'), 'x = 1  # note: why\n')
  const again = await twotrack(cwd, ['run', 'lint', '--trust', '--json'])
  expect(reportIn(again)[0]?.stop.summary).toContain('Not proposed: the fix would change or remove a comment')
})

test.each([
  ['json', `printf '[{"file":"a.py","line":2,"rule":"R1","message":"no"}]'`, ' 2 R1 no'],
  [
    'sarif',
    `printf '{"runs":[{"results":[{"ruleId":"R2","message":{"text":"so"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.py"},"region":{"startLine":3}}}]}]}]}'`,
    ' 3 R2 so',
  ],
  ["'^(?<line>\\d+) of (?<path>\\S+): (?<message>.*)$'", `echo '4 of a.py: bad'`, ' 4 notes bad'],
])('a report as %s is read', async (report, script, expected) => {
  const cwd = projectWith({
    'twotrack.yaml': CHECKS.replace('lines', () => report),
    'a.py': 'x = 1\n\n\n\n',
  })
  writeFileSync(join(cwd, 'tools/notes'), `#!/bin/sh\n${script}\n`)
  const { stdout } = await twotrack(cwd, ['run', 'lint', '--trust'])
  expect(stdout).toContain(expected)
})

test('a program of others is asked in the same way, here for SARIF', async () => {
  const program = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url))
  const check = `${program} lint --reporter=sarif --colors=off {files}`
  const row = `{ name: other, files: 'src/**/*.ts', check: '${check}', report: sarif }`
  const cwd = folderWith({ 'src/a.ts': 'debugger\n', 'b.ts': 'export const b = 1\n' })
  const { stdout } = await twotrack(cwd, ['run', 'lint', '--set', `checks=[${row}]`])
  expect(stdout).toContain('\n    1 lint/suspicious/noDebugger')
})

test('a linter that is configured and absent is told once, and no agent is begun for it', async () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`src/a${at}.js`, 'debugger\n']))
  const cwd = folderWith({ ...files, 'eslint.config.js': 'export default []\n' })
  const { code, stdout } = await twotrack(cwd, ['run', 'lint', 'src'])
  expect(code).toBe(2)
  expect(stdout.match(/checked with eslint \(eslint\.config\.js\), which is not\s+installed/g)).toHaveLength(
    1,
  )
  expect((await twotrack(cwd, ['runs', '--json'])).stdout.trim()).toBe('[]')
})

test('where another linter of the project is there, the absent one is told beside it', async () => {
  const cwd = folderWith({
    ...{ '.oxlintrc.json': '{}', 'eslint.config.js': 'export default []\n' },
    ...{ 'a.js': 'debugger\n', 'b.js': 'debugger\n' },
  })
  const { stdout, stderr } = await twotrack(cwd, ['run', 'lint'])
  expect(stdout).toContain('\n    1 eslint(no-debugger)')
  expect(
    stderr.match(/Not checked with eslint \(eslint\.config\.js\): it is not installed here\./g),
  ).toHaveLength(1)
})

test('a folder of a repository is linted as its project says, and nothing beside it', async () => {
  const cwd = folderWith({
    '.git/HEAD': 'ref: refs/heads/main\n',
    'ruff.toml': 'lint.select = ["E711"]\n',
    'shop/cart/a.py': 'import os\nprint(x == None)\n',
    'desk/b.py': 'print(x == None)\n',
  })
  const ended = await twotrack(join(cwd, 'shop'), ['run', 'lint', '--json'])
  expect(reportIn(ended).map(({ node_id, open }) => [node_id, open.length])).toEqual([['shop/cart/a.py', 1]])
  expect(ended.stderr).toContain('(ruff.toml')
})

test('files that are left out are told', async () => {
  const cwd = folderWith({
    'a.py': 'x = 1\n',
    'large.js': `// ${'x'.repeat(4_300_000)}\n`,
    'binary.py': 'a\0b',
  })
  const { stderr } = await twotrack(cwd, ['run', 'lint'])
  expect(stderr).toMatch(/Left out: large\.js has 43\d+ bytes; at most/)
  expect(stderr).toMatch(/Left out: binary\.py/)
})

test.each([
  ['does not fail because of them', 0, 0, '✓ lint#1 a.py'],
  ['fails because of them', 1, 1, '~ lint#1 a.py'],
])('warnings of a linter that %s', async (_, ends, code, first) => {
  const report = '[{"file":"a.py","line":2,"rule":"W1","severity":"warning","message":"odd"}]'
  const cwd = projectWith({ 'twotrack.yaml': CHECKS.replace('lines', 'json'), 'a.py': 'x = 1\n\n' })
  writeFileSync(join(cwd, 'tools/notes'), `#!/bin/sh\nprintf '%s' '${report}'\nexit ${ends}\n`)
  const ended = await twotrack(cwd, ['run', 'lint', 'a.py', '--trust', '--no-hub'])
  expect(ended.code).toBe(code)
  expect(ended.stdout.startsWith(first)).toBe(true)
  expect(ended.stdout).toContain(`\n    2 W1 odd${ends === 0 ? ' (warning)' : ''}\n`)
})
