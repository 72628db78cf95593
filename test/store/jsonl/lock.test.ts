import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { acquireLock } from '../../../src/store/jsonl/lock.ts'
import { thisProcess } from '../../../src/store/jsonl/owner.ts'
import { startChild } from './child.ts'
import { scratchFolder } from './scratch.ts'

const agent = 'agent-1'
const me = thisProcess('aaaaaaaaaaaa')

async function folderWithLock(content: string) {
  const folder = await scratchFolder()
  await mkdir(join(folder, 'traces'))
  const path = join(folder, 'traces', `${agent}.jsonl.lock`)
  await writeFile(path, content)
  return { folder, path, store: jsonlStore({ folder }) }
}

describe('the lock of a log', () => {
  it('names the process that holds it', async () => {
    const folder = await scratchFolder()
    const writer = await jsonlStore({ folder }).open(agent)
    await expect(jsonlStore({ folder }).open(agent)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
    })
    await writer.close()
    expect(await readdir(join(folder, 'traces'))).toEqual([])
  })

  it('keeps other processes out, and is free when its process is killed', async () => {
    const folder = await scratchFolder()
    const child = startChild('append-child.ts', [folder, agent])
    child.say('go')
    await child.line('open')
    await expect(jsonlStore({ folder }).open(agent)).rejects.toMatchObject({
      code: 'locked',
      details: { pid: child.process.pid },
    })
    await child.kill()
    const store = jsonlStore({ folder })
    expect(
      (await store.check()).some(({ what }) => what.includes(`process ${child.process.pid}, which is gone`)),
    ).toBe(true)
    await (await store.open(agent)).close()
    expect((await readdir(join(folder, 'traces'))).filter((name) => name.includes('.lock'))).toEqual([])
  })

  const gone = {
    'a process that is gone': { ...me, pid: 4_194_400 },
    'an earlier process with the pid of a living one': { ...me, started: '1' },
    'a process from before the machine started': { ...me, boot: 'another' },
  }
  for (const [who, owner] of Object.entries(gone)) {
    it.runIf(process.platform === 'linux')(`is taken over from ${who}`, async () => {
      const { path, store } = await folderWithLock(JSON.stringify(owner))
      const writer = await store.open(agent)
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
        pid: process.pid,
        started: me.started,
      })
      await writer.close()
    })
  }

  it('of a process on another machine is never taken over', async () => {
    const { path, store } = await folderWithLock(JSON.stringify({ ...me, pid: 4_194_400, host: 'elsewhere' }))
    await expect(store.open(agent)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(path),
    })
  })

  it('that is not fully written is respected while it is fresh', async () => {
    const { path, store } = await folderWithLock('')
    await expect(store.open(agent)).rejects.toMatchObject({ code: 'locked' })
    const minuteAgo = new Date(Date.now() - 60_000)
    await utimes(path, minuteAgo, minuteAgo)
    await (await store.open(agent)).close()
  })

  it('is taken over although the one who took it over before was killed half way', async () => {
    const { path, store } = await folderWithLock(JSON.stringify({ ...me, boot: 'another' }))
    await writeFile(
      `${path}.after-${me.token}`,
      JSON.stringify({ ...me, token: 'bbbbbbbbbbbb', boot: 'another' }),
    )
    await (await store.open(agent)).close()
    expect(await readdir(join(path, '..'))).toEqual([])
  })

  it('goes to exactly one of many that race for a stale one', async () => {
    for (let round = 0; round < 20; round++) {
      const { path } = await folderWithLock(JSON.stringify({ ...me, boot: 'another' }))
      const asked = await Promise.allSettled(Array.from({ length: 12 }, () => acquireLock(path, 'The log')))
      const won = asked.filter((result) => result.status === 'fulfilled')
      expect(won.length).toBe(1)
      await won[0]?.value.release()
      expect(await readdir(join(path, '..'))).toEqual([])
    }
  })

  it('goes to exactly one of the processes that race for a stale one', async () => {
    const { folder } = await folderWithLock(JSON.stringify({ ...me, boot: 'another' }))
    const children = Array.from({ length: 3 }, () => startChild('append-child.ts', [folder, agent]))
    await Promise.all(children.map((child) => child.line('ready')))
    for (const child of children) child.say('go')
    await Promise.all(children.map((child) => child.count(2)))
    const answers = children.map((child) => child.lines[1])
    for (const child of children) await child.kill()
    expect(answers.toSorted()).toEqual(['failed locked', 'failed locked', 'open 0'])
  })
})
