import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import {
  CLEAN,
  eventsOf,
  lintProject,
  modelServer,
  PYTHON,
  PYTHON_FIXED,
  start,
  takesFirst,
  textOf,
} from './project.ts'

const workspaces = (cwd: string): string[] => {
  const folder = join(cwd, '.agentfs/workspaces')
  return existsSync(folder) ? readdirSync(folder) : []
}

test.each([
  ['--store', 'memory'],
  ['--set', 'runner.memory.enabled=false'],
])(
  'a run with %s %s keeps no log, leaves no workspace, and says that its changes cannot be taken',
  async (...option) => {
    const cwd = folderWith({ 'a.py': PYTHON })
    const { code, stdout } = await twotrack(cwd, ['run', 'lint', '.', '--no-hub', ...option])
    expect(code).toBe(1)
    expect(stdout).toContain('1 proposes changes')
    expect(stdout).not.toContain('accept --all')
    expect(stdout).toContain("can't be accepted later")
    expect(workspaces(cwd)).toEqual([])
    expect(textOf(cwd, 'a.py')).toBe(PYTHON)
  },
)

test('no workspace is left of an agent that changed nothing, whatever it came to', async () => {
  const cwd = folderWith({ 'a.py': CLEAN, 'b.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub'])
  await twotrack(cwd, ['run', 'lint', 'b.py', '--no-hub', '--max-turns', '1'])
  expect(workspaces(cwd)).toEqual([])
  expect(existsSync(join(cwd, '.agentfs/copies'))).toBe(false)
})

test('the folder of records ignores itself', async () => {
  const cwd = folderWith({ 'a.py': PYTHON })
  rmSync(join(cwd, '.git'), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  await twotrack(cwd, ['run', 'lint', '.', '--no-hub'])
  expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('?? a.py\n')
  // Who takes the rule away has decided otherwise.
  rmSync(join(cwd, '.agentfs/.gitignore'))
  await twotrack(cwd, ['accept', '--all'])
  expect(existsSync(join(cwd, '.agentfs/.gitignore'))).toBe(false)
})

test('compact removes what no command needs any more, and nothing that can still be taken or resumed', async () => {
  const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON })
  const folder = join(cwd, '.agentfs')
  await twotrack(cwd, ['run', 'lint', 'a.py', '--no-hub', '--store', 'kv'])
  await twotrack(cwd, ['run', 'lint', 'b.py', '--no-hub'])
  expect(workspaces(cwd)).toEqual([])
  // What killed processes leave: a copy half made, one between two agents, a workspace without a log.
  mkdirSync(join(folder, 'workspaces/half~making/files'), { recursive: true })
  mkdirSync(join(folder, 'copies/killed/0'), { recursive: true })
  writeFileSync(join(folder, 'copies/killed.held'), '')
  const lost = await createWorkspace({ project: cwd, folder, id: 'lost' })
  await lost.write('a.py', 'lost\n')
  lost.release()
  // And one in use.
  const used = await createWorkspace({ project: cwd, folder, id: 'used' })

  const shown = await twotrack(cwd, ['compact', '--json'])
  expect(shown.code).toBe(0)
  const found: { name: string; goes: boolean }[] = JSON.parse(shown.stdout).workspaces
  expect(found.filter(({ goes }) => !goes)).toMatchObject([{ name: 'used', reason: 'in use' }])
  expect(workspaces(cwd)).toHaveLength(3)

  const { code, stdout } = await twotrack(cwd, ['compact', '--apply'])
  expect(code).toBe(0)
  for (const name of ['half~making', 'killed', 'lost']) expect(stdout).toContain(`removed ${name}`)
  expect(workspaces(cwd)).toEqual(['used'])
  expect(existsSync(join(folder, 'copies'))).toBe(false)
  expect(await used.files()).toContain('a.py')
  await used.discard()
  expect((await twotrack(cwd, ['compact', '--apply'])).stdout).toContain('0 workspaces')
  expect((await twotrack(cwd, ['accept', '--all'])).code).toBe(0)
  expect((await twotrack(cwd, ['accept', '--all', '--store', 'kv'])).code).toBe(0)
  expect(workspaces(cwd)).toEqual([])
})

test.each([
  ['compact', '--apply'],
  ['changes', 'ID'],
])('%s makes a proposal of what a killed agent left', async (command, option) => {
  const cwd = lintProject()
  const server = await modelServer((index) => (index < 2 ? takesFirst : reply.silence))
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const run = start(cwd, ['run', 'lint', 'src/app.py', ...asks])
  await server.received(3)
  run.child.kill('SIGKILL')
  await run.ended
  const [id = ''] = workspaces(cwd)
  const { stdout } = await twotrack(cwd, [command, option === 'ID' ? id : option])
  expect(stdout).toContain(id)
  expect(workspaces(cwd)).toEqual([])
  expect((await eventsOf(cwd, id)).at(-1)).toMatchObject({ type: 'proposal' })
  expect((await twotrack(cwd, ['accept', id])).code).toBe(0)
  expect(textOf(cwd, 'src/app.py')).toBe(PYTHON_FIXED)
})
