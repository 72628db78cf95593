import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { listInside, readInside, removeInside, writeInside } from '../../src/files/files.ts'
import { IgnoreRules } from '../../src/files/ignore.ts'
import { walk } from '../../src/files/walk.ts'
import { acceptInto, type Taking } from '../../src/workspace/accept.ts'
import { compare } from '../../src/workspace/changes.ts'
import type { Side } from '../../src/workspace/diff.ts'
import { sideAt } from '../../src/workspace/merged.ts'
import { scratch } from '../workspace/scratch.ts'

const TIMES = Number(process.env['TWOTRACK_RACES'] ?? 150)

/** Calls `work` again and again while a folder of the workspace is swapped for a link to another place. */
async function racing(work: (root: string) => Promise<unknown>): Promise<{ outside: string; done: number }> {
  const base = await scratch()
  const [root, outside] = [join(base, 'root'), join(base, 'outside')]
  for (const folder of [join(root, 'src'), outside]) await mkdir(folder, { recursive: true })
  await writeFile(join(root, 'src', 'a.txt'), 'inside')
  await writeFile(join(outside, 'a.txt'), 'SECRET')
  await writeFile(join(outside, 'only-outside.txt'), 'SECRET')
  const data = { folder: join(root, 'src'), outside }
  const worker = new Worker(new URL('race-child.ts', import.meta.url), { workerData: data })
  await once(worker, 'message')
  let done = 0
  // A call is short: on a quick machine all of them may meet the link, so it goes on until one has met the folder.
  for (let time = 0; time < TIMES || (done === 0 && time < TIMES * 100); time++) {
    await setImmediate()
    // Refusing is right; what must not be is to give something of the other place.
    const given = await work(root).then(
      (value) => ({ value }),
      () => undefined,
    )
    if (given === undefined) continue
    done++
    const text = JSON.stringify(given, (_, value) => (value instanceof Uint8Array ? String(value) : value))
    expect(text).not.toMatch(/SECRET|only-outside|83,69,67,82,69,84/)
  }
  worker.postMessage('end')
  await once(worker, 'exit')
  expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('SECRET')
  expect((await readdir(outside)).sort()).toEqual(['a.txt', 'only-outside.txt'])
  return { outside, done }
}

const timeout = 60_000 + TIMES * 300

describe.runIf(process.platform === 'linux')(
  'while a folder is swapped for a link that leads out',
  { timeout },
  () => {
    it('reading gives nothing of the other place', async () => {
      const { done } = await racing(async (root) => String(await readInside(root, 'src/a.txt')))
      expect(done).toBeGreaterThan(0)
    })

    it('listing and walking name nothing of it', async () => {
      await racing(async (root) => listInside(root, 'src'))
      await racing(async (root) => walk(root, IgnoreRules.from([])))
    })

    it('writing and removing change nothing in it', async () => {
      await racing((root) => writeInside(root, 'src/a.txt', 'inside'))
      await racing((root) => writeInside(root, 'src/new/b.txt', 'inside'))
      await racing((root) => removeInside(root, 'src/only-outside.txt'))
    })

    it('accepting changes changes nothing in it', async () => {
      const side = (text: string): Side => ({ content: Buffer.from(text), mode: '100644' })
      const taking = (path: string, now: Side | undefined, next: Side | undefined): Taking => ({
        ...{ path, now, next, kind: 'modified', how: 'whole' },
        proposed: { path, before: null, after: null },
      })
      const accept = (root: string) =>
        acceptInto(
          { project: root, id: 'x' },
          [
            taking('src/a.txt', side('inside'), side('inside')),
            taking('src/new/b.txt', undefined, side('new')),
            taking('src/only-outside.txt', undefined, undefined),
          ],
          true,
        ).then(({ accepted }) => accepted.length)
      const still = await scratch()
      await mkdir(join(still, 'src'))
      await writeFile(join(still, 'src', 'a.txt'), 'inside')
      expect(await accept(still)).toBe(3)
      // It takes so many steps that all may be refused.
      await racing(accept)
    })

    it('changes of a workspace show nothing of it', async () => {
      await racing(async (root) => {
        const lists = { linked: [], ignore_files: [], skipped: [], files: [] }
        const differences = await compare(root, { v: 1, id: 'x', layer: false, ...lists })
        const sizes = differences.map(({ path, after }) => [path, after?.sha256])
        return [sizes, await sideAt(root, 'src/a.txt').then((side) => String(side?.content))]
      })
    })
  },
)
