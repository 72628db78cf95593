import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { CLEAN, PYTHON, reportIn } from './project.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd })

/** A repository with one commit of these files. */
function repository(files: Record<string, string>): string {
  const cwd = folderWith(files)
  rmSync(join(cwd, '.git'), { recursive: true })
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-q', '-m', 'first')
  return cwd
}

const nodesOf = async (cwd: string, ...args: string[]) =>
  reportIn(await twotrack(cwd, ['run', ...args, '--no-hub', '--json', '--fail-on', 'never'])).map(
    ({ node_id }) => node_id,
  )

test('run --changed works on what differs from the last commit, or from a base', async () => {
  const cwd = repository({ 'a.py': CLEAN, 'src/b.py': CLEAN, 'src/c d.py': CLEAN, 'e.py': CLEAN })
  git(cwd, 'checkout', '-q', '-b', 'topic')
  writeFileSync(join(cwd, 'a.py'), PYTHON)
  git(cwd, 'commit', '-q', '-a', '-m', 'second')
  writeFileSync(join(cwd, 'src/c d.py'), PYTHON)
  writeFileSync(join(cwd, 'new é.py'), PYTHON)
  rmSync(join(cwd, 'e.py'))
  expect(await nodesOf(cwd, 'lint', '--changed')).toEqual(['new é.py', 'src/c d.py'])
  expect(await nodesOf(cwd, 'lint', '--changed=main')).toEqual(['a.py', 'new é.py', 'src/c d.py'])
  expect(await nodesOf(cwd, 'lint', '--changed', 'src')).toEqual(['src/c d.py'])
  const unknown = await twotrack(cwd, ['run', 'lint', '--changed=nope'])
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('git knows no revision "nope"') })
  const nowhere = await twotrack(folderWith({ 'a.py': CLEAN }), ['run', 'lint', '--changed'])
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('is no repository of git') })
})

const FUNCTIONS = `
name: functions
description: Looks at functions.
languages: [python]
node_types: [function, method]
prompt: Look.
node_template: Look at {{node_id}}.
tools: [read_file]
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
candidates: [{ tool: submit_result, args: { summary: seen }, reason: It was seen. }]
`

test('a node is named by its key, and --changed takes the functions whose lines changed', async () => {
  const text = 'def one():\n    return 1\n\n\nclass A:\n    def two(self):\n        return 2\n'
  const cwd = repository({ 'a.py': text, 'agents/functions/agent.yaml': FUNCTIONS })
  const run = (...args: string[]) => nodesOf(cwd, 'functions', '--trust', ...args)
  expect(await run()).toEqual(['a.py:one', 'a.py:A.two'])
  expect(await run('a.py:A.two')).toEqual(['a.py:A.two'])
  writeFileSync(join(cwd, 'a.py'), text.replace('return 2', 'return 3'))
  expect(await run('--changed')).toEqual(['a.py:A.two'])
  const mistyped = await twotrack(cwd, ['run', 'functions', 'a.py:A.tow', '--trust'])
  expect(mistyped).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean a.py:A.two?') })
  const other = await twotrack(cwd, ['run', 'functions', 'a.py:A', '--trust'])
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('a.py:A is a class') })
})

test('rules that are code stand beside agent.yaml, and what is no function is an error at load', async () => {
  const agent = FUNCTIONS.replace(/candidates: .*/, 'propose: ./rules.js').replace(
    '[function, method]',
    '[file]',
  )
  const rules =
    "export default ({ node }) => [{ tool: 'submit_result', args: { summary: 'saw ' + node.id }, reason: 'It was seen.' }]\n"
  const cwd = folderWith({
    'a.py': CLEAN,
    'agents/functions/agent.yaml': agent,
    'agents/functions/rules.js': rules,
  })
  const run = ['run', 'functions', 'a.py', '--no-hub', '--trust', '--json']
  expect(reportIn(await twotrack(cwd, run))).toMatchObject([{ stop: { summary: 'saw a.py' } }])
  writeFileSync(join(cwd, 'agents/functions/rules.js'), 'export default 1\n')
  const wrong = await twotrack(cwd, run, { fresh: true })
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('the default export of ./rules.js is no function')
})
