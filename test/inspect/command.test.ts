import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { start, until } from '../scenario/project.ts'

test('a folder in which nothing is recorded is shown, and left as it is', async () => {
  const cwd = folderWith({ 'a.txt': '' })
  const before = readdirSync(cwd)
  const shown = start(cwd, ['inspect', '--port', '0'])
  await until(() => shown.stdout().includes('Open http'))
  shown.child.kill('SIGINT')
  expect(await shown.ended).toMatchObject({ code: 0 })
  expect(readdirSync(cwd)).toEqual(before)
})

test('a port that is taken, and options that do nothing, are said to be so', async () => {
  const cwd = folderWith({ 'a.txt': '' })
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => {
    other.close()
  })
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const taken = await twotrack(cwd, ['inspect', '--port', String(port)])
  expect(taken).toMatchObject({ code: 2 })
  expect(taken.stderr).toMatch(/Port \d+ can’t be used .*Give another/)
  const bare = await twotrack(cwd, ['inspect', '--redact'])
  expect(bare.stderr).toContain('--redact goes with --export')
})
