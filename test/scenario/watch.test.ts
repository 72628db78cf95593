import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { CLEAN, expectIntact, PYTHON, start, until } from './project.ts'

test('saves within the debounce are one batch, a later save another; Ctrl-C ends it with 0', async () => {
  const cwd = folderWith({ 'src/a.py': CLEAN, 'src/b.py': CLEAN, 'src/c.py': CLEAN })
  const watching = start(cwd, ['watch', 'lint', 'src', '--debounce', '300', '--no-hub'])
  await until(() => watching.stderr().includes('Watching src'))
  const reports = () => watching.stdout().split('propose changes.').length - 1

  for (const name of ['a', 'b', 'a', 'b']) writeFileSync(join(cwd, `src/${name}.py`), PYTHON)
  writeFileSync(join(cwd, 'src/gone.py'), PYTHON)
  rmSync(join(cwd, 'src/gone.py'))
  await until(() => reports() === 1)
  expect(watching.stdout()).toContain('2 agents: 2 done, 0 not; 2 propose changes.')

  // As editors save: a new file in place of the old one.
  writeFileSync(join(cwd, 'src/c.py.tmp'), PYTHON)
  renameSync(join(cwd, 'src/c.py.tmp'), join(cwd, 'src/c.py'))
  await until(() => reports() === 2)
  expect(watching.stdout()).toContain('1 agent: 1 done, 0 not; 1 propose changes.')

  watching.child.kill('SIGINT')
  expect((await watching.ended).code).toBe(0)
  await expectIntact(cwd)
})

test('a path that is not there is refused', async () => {
  const { code, stderr } = await twotrack(folderWith(), ['watch', 'lint', 'gone'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing to watch at gone'),
  })
})
