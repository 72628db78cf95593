import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { put } from './project.ts'

const project = () =>
  folderWith({ 'shop.py': 'def take(n): return n\n', 'use.py': 'from shop import take\ntake(1)\n' })

test('what is known of nodes is asked without anything having been started', async () => {
  const cwd = project()
  const asked = await twotrack(cwd, ['hub', 'shop.py:take', 'shop.py'])
  expect(asked).toMatchObject({ code: 0, stderr: '' })
  expect(asked.stdout).toContain('def take(n)')
  expect(asked.stdout).toMatch(/callers +use\.py\n[\s\S]*importers +use\.py\n/)
  put(cwd, { 'use.py': '', 'shop.py': 'def take(n, m): return n\n' })
  const again = await twotrack(cwd, ['hub', 'shop.py:take', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ states: [{ signature: 'def take(n, m)', callers: [] }] })
  const unknown = await twotrack(cwd, ['hub', 'shop.py:none', '--json'])
  expect([unknown.code, JSON.parse(unknown.stdout).missing]).toEqual([1, ['shop.py:none']])
})

test('wrong uses say what is right', async () => {
  const cwd = project()
  for (const [args, words] of [
    [['hub'], "missing required argument 'nodes'"],
    [['nodes', 'nowhere'], 'There is no'],
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
  expect(stdout).toMatch(/shop\.py:take +function +1-1/)
  put(cwd, { 'bad.py': 'def x(:\n' })
  const bad = await twotrack(cwd, ['nodes', '--json'])
  expect(bad.code).toBe(1)
  const { nodes, errors } = JSON.parse(bad.stdout)
  expect(nodes.map((node: { key: string }) => node.key)).toContain('shop.py:take')
  expect(errors).toMatchObject([{ path: 'bad.py', line: 1 }])
})
