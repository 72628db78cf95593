import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { eventsOf, expectIntact, PYTHON, PYTHON_FIXED, reportIn, textOf } from './project.ts'

const workspaces = (cwd: string): string[] => {
  const folder = join(cwd, '.agentfs/workspaces')
  return existsSync(folder) ? readdirSync(folder) : []
}

async function linted(files: Record<string, string>) {
  const cwd = folderWith(files)
  const report = reportIn(await twotrack(cwd, ['run', 'lint', '.', '--no-hub', '--json']))
  const idOf = (node: string) => report.find(({ node_id }) => node_id === node)?.agent_id ?? ''
  return { cwd, idOf }
}

test('accept takes one, a conflict is shown and never overwritten, reject throws away', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON })
  expect(workspaces(cwd)).toEqual([])

  const accepted = await twotrack(cwd, ['accept', idOf('a.py')])
  expect(accepted).toMatchObject({ code: 0, stdout: 'accepted lint#1: a.py\n' })
  expect(textOf(cwd, 'a.py')).toBe(PYTHON_FIXED)

  const mine = PYTHON.replace('B = 2;', 'B = 3;')
  writeFileSync(join(cwd, 'b.py'), mine)
  const conflict = await twotrack(cwd, ['accept', '--all'])
  expect(conflict.code).toBe(1)
  expect(conflict.stdout).toContain('conflict lint#2: b.py')
  expect(conflict.stdout).toContain('accepted lint#3: c.py')
  expect(textOf(cwd, 'b.py')).toBe(mine)
  expect((await twotrack(cwd, ['changes', idOf('b.py')])).stdout).toContain('# conflict in b.py: ')

  const rejected = await twotrack(cwd, ['reject', idOf('b.py'), '--reason', 'mine is newer'])
  expect(rejected).toMatchObject({ code: 0, stdout: 'rejected lint#2: b.py\n' })
  expect(textOf(cwd, 'b.py')).toBe(mine)
  expect((await twotrack(cwd, ['changes'])).stdout).toBe('No proposed changes.\n')

  expect((await eventsOf(cwd, idOf('a.py'))).at(-1)).toMatchObject({
    type: 'accepted',
    data: { files: [{ path: 'a.py', how: 'whole' }], by: 'user' },
  })
  expect((await eventsOf(cwd, idOf('b.py'))).at(-1)).toMatchObject({
    type: 'rejected',
    data: { files: ['b.py'], reason: 'mine is newer' },
  })
  await expectIntact(cwd)
})

test('retry rejects, and a new agent works on the file as it is now', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON })
  writeFileSync(join(cwd, 'a.py'), `C = 3;\n${PYTHON}`)
  const retried = await twotrack(cwd, ['retry', idOf('a.py'), '--no-hub', '--json'])
  expect(retried.code).toBe(1)
  const [again] = reportIn(retried)
  expect(again?.agent_id).not.toBe(idOf('a.py'))
  expect(again?.changes).toMatchObject([{ path: 'a.py', lines_removed: 3 }])
  const old = await eventsOf(cwd, idOf('a.py'))
  expect(old.at(-1)).toMatchObject({ type: 'rejected', data: { reason: 'retried' } })
  expect((await twotrack(cwd, ['accept', '--all'])).code).toBe(0)
  expect(textOf(cwd, 'a.py')).toBe(`C = 3\n${PYTHON_FIXED}`)
})

test('accept without a name is refused and says how', async () => {
  const { code, stderr } = await twotrack(folderWith(), ['accept'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'twotrack: Name the agents (a part of a name is enough, and so is lint#3), or say --last, --run ID or --all.\n',
  })
})

test('one damaged log does not keep the others from being taken', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON })
  const damage = (node: string, at: number) => {
    const file = join(cwd, '.agentfs/traces', `${idOf(node)}.jsonl`)
    const bytes = readFileSync(file)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
  }
  damage('a.py', readFileSync(join(cwd, '.agentfs/traces', `${idOf('a.py')}.jsonl`)).length - 20)
  damage('b.py', 20)
  const { code, stdout, stderr } = await twotrack(cwd, ['accept', '--all'])
  expect(code).toBe(1)
  expect(stdout).toBe('accepted lint#3: c.py\n')
  for (const node of ['a.py', 'b.py']) {
    expect(stderr).toContain(idOf(node))
    expect(textOf(cwd, node)).toBe(PYTHON)
  }
  expect(stderr).not.toContain('    at ')
})

test('retry --all tries again what is proposed, and only that', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON })
  await twotrack(cwd, ['accept', idOf('a.py')])
  const retried = await twotrack(cwd, ['retry', '--all', '--no-hub', '--json'])
  expect(retried).toMatchObject({ code: 1, stderr: expect.anything() })
  expect(reportIn(retried).map(({ node_id }) => node_id)).toEqual(['b.py', 'c.py'])
  const nothing = await twotrack(folderWith({ 'a.py': PYTHON }), ['retry', '--all', '--no-hub'])
  expect(nothing.code).toBe(2)
  expect(nothing.stderr).toContain('proposes')
  expect((await twotrack(cwd, ['retry'])).stderr).toContain('--all')
})

test('runs shows an agent that ended as ended, also after accept and reject', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON })
  await twotrack(cwd, ['accept', idOf('a.py')])
  await twotrack(cwd, ['reject', idOf('b.py')])
  const rows = JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)
  expect(rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['done', 'done', 'done'])
})

test('a run that is not known is said to be so, with the nearest that is', async () => {
  const { cwd } = await linted({ 'a.py': PYTHON })
  const [{ run_id }] = JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)
  const mistyped = `${run_id.slice(0, -1)}${run_id.endsWith('x') ? 'y' : 'x'}`
  for (const command of ['runs', 'changes', 'accept', 'reject', 'retry']) {
    const { code, stdout, stderr } = await twotrack(cwd, [command, '--run', mistyped])
    expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' })
    expect(stderr).toContain(`no run "${mistyped}"`)
    expect(stderr).toContain(`did you mean ${run_id}?`)
  }
  expect((await twotrack(cwd, ['runs', '--node', 'nope'])).stdout).toContain('No agent fits')
})

test('a file that a person and an agent changed is merged, and the patch of all is one that git applies', async () => {
  const { cwd } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON })
  writeFileSync(join(cwd, 'b.py'), `${PYTHON}# changed meanwhile\n`)
  const { stdout } = await twotrack(cwd, ['changes', '--last'])
  expect(stdout).toContain('# b.py: merged with what changed in the project')
  const copy = folderWith({ 'a.py': PYTHON, 'b.py': `${PYTHON}# changed meanwhile\n` })
  execFileSync('git', ['apply', '-'], { cwd: copy, input: stdout })
  expect((await twotrack(cwd, ['accept', '--last'])).code).toBe(0)
  for (const name of ['a.py', 'b.py']) expect(textOf(cwd, name)).toBe(textOf(copy, name))
  expect(textOf(cwd, 'b.py')).toBe(`${PYTHON_FIXED}# changed meanwhile\n`)
})

test('unfinished work is marked, and taken by its name alone', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  const run = await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub', '--max-turns', '2'])
  expect(run.code).toBe(2)
  expect((await twotrack(cwd, ['changes', '--stat'])).stdout).toContain('unfinished: ended with turn_limit')
  const all = await twotrack(cwd, ['accept', '--all'])
  expect(all).toMatchObject({ code: 0, stdout: '' })
  expect(all.stderr).toContain('lint#1 is left out, it is unfinished (ended with turn_limit)')
  expect(textOf(cwd, 'a.py')).toBe(PYTHON)
  expect((await twotrack(cwd, ['changes'])).stdout).toBe('')
  expect((await twotrack(cwd, ['accept', 'lint#1'])).code).toBe(0)
  expect(textOf(cwd, 'a.py')).toBe(PYTHON_FIXED)
})

test('an agent is named by a part of its name, by its number, or as the last one', async () => {
  const { cwd, idOf } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'b.py', '--no-hub'])
  const nodeOf = async (...args: string[]) =>
    JSON.parse((await twotrack(cwd, ['show', ...args, '--event', '1', '--json'])).stdout).node_id
  expect(await nodeOf('lint-a')).toBe('a.py')
  expect(await nodeOf('a.py')).toBe('a.py')
  expect(await nodeOf(`${idOf('a.py').slice(0, -4)}`)).toBe('a.py')
  // A later run gives no number a second time.
  expect(await nodeOf('lint#1')).toBe('a.py')
  expect(await nodeOf('lint#3')).toBe('b.py')
  expect(await nodeOf('--last')).toBe('b.py')
  const rows = JSON.parse((await twotrack(cwd, ['runs', '--last', '--json'])).stdout)
  expect(rows.map(({ name, node_id }: Record<string, string>) => [name, node_id])).toEqual([
    ['lint#3', 'b.py'],
  ])
  const unknown = await twotrack(cwd, ['show', 'lint#9'])
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no log of agent "lint#9"') })
})

test('what a command is about is not there: an empty folder, a number that no agent has, a conflict', async () => {
  const empty = folderWith()
  expect((await twotrack(empty, ['reject', '--all'])).stderr).toBe('No proposed changes.\n')
  for (const command of ['export', 'changes', 'accept', 'verify'])
    expect(await twotrack(empty, [command, '--last'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No runs are recorded here'),
    })
  const { cwd } = await linted({ 'a.py': PYTHON, 'b.py': PYTHON })
  expect((await twotrack(cwd, ['runs'])).stdout).toMatch(/^lint#1 +problems left +1 file /m)
  writeFileSync(join(cwd, 'a.py'), PYTHON.replace('A = 1;', 'A = 2;'))
  const { code, stderr } = await twotrack(cwd, ['accept', '--run', 'lint#1'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/A conflict stays proposed.* review lint#1 .* retry lint#1\n/)
  expect((await twotrack(cwd, ['runs'])).stdout).toMatch(/^lint#1 .* 1 file .*\nlint#2 +accepted +\d{4}-/m)
})

test.each([
  ['--concurrency', '0', 'It is at least 1.'],
  ['--max-turns', '-1', '"-1" is not a whole number from 0 on.'],
])('%s %s is refused with what it may be', async (option, value, words) => {
  const { code, stderr } = await twotrack(folderWith({ 'a.py': PYTHON }), [
    'run',
    'lint',
    `${option}=${value}`,
  ])
  expect(code).toBe(2)
  expect(stderr).toContain(words)
})
