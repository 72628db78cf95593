import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LEASE_MS, takeLease } from '../../../src/files/lease.ts'
import { thisProcess } from '../../../src/files/lock.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'
import { startChild } from './child.ts'
import { scratchFolder } from './scratch.ts'

/** The full count is run with `npm run test:faults`. */
const RACES = Number(process.env['TWOTRACK_LOCK_RACES'] ?? 6)
const agent = 'agent-1'
const me = thisProcess()

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
      message: expect.stringContaining(`this process (${process.pid})`),
    })
    await writer.close()
    expect(await readdir(join(folder, 'traces'))).toEqual([])
  })

  it('keeps other processes out, and is free when its process is killed', async () => {
    const folder = await scratchFolder()
    const child = startChild([folder, agent])
    child.say('go')
    await child.line('open')
    await expect(jsonlStore({ folder }).open(agent)).rejects.toMatchObject({
      code: 'locked',
      details: { pid: child.process.pid },
    })
    await child.kill()
    const store = jsonlStore({ folder })
    await (await store.open(agent)).close()
    expect((await readdir(join(folder, 'traces'))).filter((name) => name.includes('.lock'))).toEqual([])
  })

  it('is free when what it says is of a process that is gone, or can not be read', async () => {
    for (const note of [JSON.stringify({ ...me, boot: 'another' }), JSON.stringify(me), '']) {
      const { path, store } = await folderWithLock(note)
      const writer = await store.open(agent)
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() })
      await writer.close()
    }
  })

  it('of a process on another machine is taken over once it was not renewed for long', async () => {
    const { path, store } = await folderWithLock(
      JSON.stringify({ ...me, boot: 'another', host: 'elsewhere' }),
    )
    await expect(store.open(agent)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(path),
    })
    const then = (Date.now() - LEASE_MS) / 1000 - 1
    await utimes(path, then, then)
    const writer = await store.open(agent)
    await writer.close()
  })

  const canUnshare = runs('unshare', ['-Urpf', 'true'])
  it.runIf(canUnshare)('holds against a process that does not even see the one that has it', async () => {
    const folder = await scratchFolder()
    const prefix = 'set -- unshare --user --map-root-user --pid --fork --kill-child "$@"'
    const children = ['first', 'second'].map(() => startChild([folder, agent], { prefix }))
    const [first, second] = children
    first?.say('go')
    await first?.line('open')
    second?.say('go')
    await second?.count(2)
    await expect(jsonlStore({ folder }).open(agent)).rejects.toMatchObject({ code: 'locked' })
    for (const child of children) await child.kill()
    expect(second?.lines[1]).toBe('failed locked')
  })

  it('that is taken away by hand, or a log that is replaced, is noticed before an append is acknowledged', async () => {
    const events = sampleLog(agent, 3)
    const meddling: Readonly<Record<string, (log: string) => Promise<unknown>>> = {
      'the note removed': (log) => rm(`${log}.lock`),
      'both files removed, and the log opened by another': async (log) => {
        await rm(`${log}.lock`)
        await rm(`${log}.lock.held`)
        await takeLease(`${log}.lock`, 'The log')
      },
      'the log removed': (log) => rm(log),
      'a copy renamed over the log': async (log) => {
        await copyFile(log, `${log}.copy`)
        await rename(`${log}.copy`, log)
      },
    }
    for (const [what, meddle] of Object.entries(meddling)) {
      const folder = await scratchFolder()
      const writer = await jsonlStore({ folder }).open(agent)
      await writer.append(events.slice(0, 1), 0)
      await meddle(join(folder, 'traces', `${agent}.jsonl`))
      await expect(writer.append(events.slice(1, 2), 1), what).rejects.toMatchObject({ code: 'conflict' })
      await expect(writer.append(events.slice(2), 2), what).rejects.toMatchObject({ code: 'conflict' })
      await writer.close()
    }
  })

  it('goes to exactly one of many that race for a stale one', async () => {
    for (let round = 0; round < RACES; round++) {
      const { path } = await folderWithLock(JSON.stringify({ ...me, boot: 'another' }))
      const asked = await Promise.allSettled(Array.from({ length: 12 }, () => takeLease(path, 'The log')))
      const won = asked.filter((result) => result.status === 'fulfilled')
      expect(won.length).toBe(1)
      await won[0]?.value.release()
      expect(await readdir(join(path, '..'))).toEqual([])
    }
  })

  it('goes to exactly one of the processes that race for a stale one', async () => {
    const { folder } = await folderWithLock(JSON.stringify({ ...me, boot: 'another' }))
    const children = Array.from({ length: 3 }, () => startChild([folder, agent]))
    await Promise.all(children.map((child) => child.line('ready')))
    for (const child of children) child.say('go')
    await Promise.all(children.map((child) => child.count(2)))
    const answers = children.map((child) => child.lines[1])
    for (const child of children) await child.kill()
    expect(answers.toSorted()).toEqual(['failed locked', 'failed locked', 'open 0'])
  })
})

function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
