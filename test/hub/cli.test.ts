import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isHeld } from '../../src/files/lock.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import { put, until } from './project.ts'

const project = () =>
  folderWith({ 'shop.py': 'def take(n): return n\n', 'use.py': 'from shop import take\ntake(1)\n' })

test('a hub in the background: start, status, query, one only, stop', async () => {
  const cwd = project()
  expect((await twotrack(cwd, ['hub', 'status'])).stdout).toContain('No hub runs here')
  const started = await twotrack(cwd, ['hub', 'start', '--detach', '--json'])
  expect(started).toMatchObject({ code: 0, stderr: '' })
  onTestFinished(async () => {
    await twotrack(cwd, ['hub', 'stop'])
  })
  const { pid } = JSON.parse(started.stdout)
  await until(async () => (await twotrack(cwd, ['hub', 'status', '--json'])).stdout.includes('"fresh"'))
  const status = await twotrack(cwd, ['hub', 'status', '--json'])
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid, files: 2, nodes: 3, unparsed: 0 })

  put(cwd, { 'shop.py': 'def take(n, m): return n\n' })
  const asked = await twotrack(cwd, ['hub', 'query', 'shop.py:take'])
  expect(asked).toMatchObject({ code: 0 })
  expect(asked.stdout).toContain('def take(n, m)')
  expect(asked.stdout).toMatch(/callers +use\.py\n[\s\S]*from: hub/)
  const unknown = await twotrack(cwd, ['hub', 'query', 'shop.py:none', '--json'])
  expect([unknown.code, JSON.parse(unknown.stdout).missing]).toEqual([1, ['shop.py:none']])

  for (const args of [
    ['hub', 'start'],
    ['hub', 'start', '--detach'],
  ]) {
    const second = await twotrack(cwd, args)
    expect([second.code, second.stderr]).toEqual([2, expect.stringMatching(/A hub runs for .* already/)])
  }
  expect(await twotrack(cwd, ['hub', 'stop'])).toMatchObject({ code: 0, stdout: 'The hub has stopped.\n' })
  expect(await twotrack(cwd, ['hub', 'stop'])).toMatchObject({ code: 0, stdout: 'No hub runs here.\n' })
  expect((await twotrack(cwd, ['hub', 'query', 'shop.py:take'])).stdout).toContain('from: index')
})

test('a killed hub is recognised, and the next one takes over', async () => {
  const cwd = project()
  const { pid } = JSON.parse((await twotrack(cwd, ['hub', 'start', '--detach', '--json'])).stdout)
  process.kill(pid, 'SIGKILL')
  await until(() => !isHeld(join(cwd, '.agentfs/hub.lock')))
  expect(JSON.parse(readFileSync(join(cwd, '.agentfs/hub.json'), 'utf8'))).toMatchObject({ pid })
  const status = await twotrack(cwd, ['hub', 'status'])
  expect([status.code, status.stdout]).toEqual([
    1,
    expect.stringContaining(`(pid ${pid}) ended without being stopped`),
  ])
  const again = JSON.parse((await twotrack(cwd, ['hub', 'start', '--detach', '--json'])).stdout)
  expect(again.pid).not.toBe(pid)
  expect(await twotrack(cwd, ['hub', 'stop'])).toMatchObject({ code: 0 })
})

test('wrong uses say what is right', async () => {
  const cwd = project()
  for (const [args, words] of [
    [['hub', 'query'], 'hub query takes the keys'],
    [['hub', 'stop', 'x'], 'hub stop takes no nodes'],
    [['hub', 'begin'], 'Allowed choices are start, status, stop, query'],
    [['nodes', 'nowhere'], "can't be read"],
    [['nodes', '..'], 'leads out of the project'],
  ] as const) {
    const { code, stderr } = await twotrack(cwd, args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
  }
})

test('nodes are listed, and what can not be parsed is told', async () => {
  const cwd = project()
  const { code, stdout } = await twotrack(cwd, ['nodes', 'shop.py'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/shop\.py:take +function +1-1 +1/)
  put(cwd, { 'bad.py': 'def x(:\n' })
  const bad = await twotrack(cwd, ['nodes', '--json'])
  expect(bad.code).toBe(1)
  const { nodes, errors } = JSON.parse(bad.stdout)
  expect(nodes.map((node: { key: string }) => node.key)).toContain('shop.py:take')
  expect(errors).toMatchObject([{ path: 'bad.py', line: 1 }])
})
