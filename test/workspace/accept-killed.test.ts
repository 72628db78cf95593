import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { bundled } from '../cli/bundle.ts'
import { ended, projectWith, textAt } from './scratch.ts'

const FILES = 60
const [OLD, NEW] = ['old\n'.repeat(500), 'new\n'.repeat(700)]

it('an acceptance killed at any point leaves whole files, and accepting again completes it', async () => {
  const names = Array.from({ length: FILES }, (_, index) => `d${Math.floor(index / 15)}/f${10 + index}.txt`)
  const reached: number[] = []
  // Killed as soon as the file at this place is the new one; -1 is at once, while contents are still being staged.
  for (const place of [-1, 0, 10, 30, 50]) {
    const { project, folder, workspace } = await projectWith(
      Object.fromEntries(names.map((name) => [name, OLD])),
    )
    for (const name of names) await workspace.write(name, NEW)
    const store = jsonlStore({ folder })
    const proposal = await ended(workspace, { project, folder }, store)
    const accepting = spawn(process.execPath, [bundled('accept-child'), project, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(accepting, 'close')
    await once(accepting.stdout, 'data')
    const awaited = names[place]
    while (awaited && statSync(join(project, awaited)).size !== NEW.length && accepting.exitCode === null)
      await new Promise(setImmediate)
    accepting.kill('SIGKILL')
    await closed

    const contents = await Promise.all(names.map((name) => textAt(project, name)))
    for (const content of contents) expect([OLD, NEW]).toContain(content)
    reached.push(contents.filter((content) => content === NEW).length)

    expect((await proposal.accept()).conflicts).toEqual([])
    for (const name of names) expect(await textAt(project, name)).toBe(NEW)
    expect(await proposal.changes()).toEqual([])
    await store.close()
    for (const part of ['d0', 'd1', 'd2', 'd3'])
      expect((await readdir(join(project, part))).filter((name) => name.startsWith('.'))).toEqual([])
  }
  console.log(`files accepted when killed, of ${FILES}: ${reached.join(', ')}`)
})
