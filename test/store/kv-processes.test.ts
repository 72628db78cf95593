import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'
import { collect, hasCode } from '../../src/testing/store-cases/case.ts'
import { append, temporaryFolder, using } from './kv-sample.ts'

const script = fileURLToPath(new URL('./kv-child.ts', import.meta.url))

function child(args: readonly string[]): ChildProcess {
  const started = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return started
}

async function output(started: ChildProcess): Promise<string> {
  const chunks: Buffer[] = []
  started.stdout?.on('data', (chunk) => chunks.push(chunk))
  await once(started, 'close')
  return Buffer.concat(chunks).toString()
}

describe('several processes on one file', () => {
  it('tells a second writer which process has the log, until that one is gone', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const holder = child(['hold', file, 'a'])
    if (holder.stdout) await once(holder.stdout, 'data')
    await using(file, async (store) => {
      await expect(store.open('a')).rejects.toThrow(`process ${holder.pid}`)
      await expect(store.open('a')).rejects.toSatisfy(hasCode('locked'))
      await (await store.open('b')).close()
      holder.kill('SIGKILL')
      await once(holder, 'close')
      await append(store, 'a', sampleLog('a', 2))
      expect(await store.check()).toEqual([])
    })
  })

  it('leaves no lock files behind, not even those of killed processes', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'store.db')
    const holder = child(['hold', file, 'a'])
    if (holder.stdout) await once(holder.stdout, 'data')
    holder.kill('SIGKILL')
    await once(holder, 'close')
    const locks = () => readdirSync(folder).filter((name) => name.includes('.lock'))
    expect(locks()).toHaveLength(2)
    await using(file, async (store) => append(store, 'a', sampleLog('a', 1)))
    expect(locks()).toEqual([])
  })

  it('fails the writer whose lock was taken over, and keeps the log whole', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const events = sampleLog('a', 3)
    const store = kvStore({ file })
    const writer = await store.open('a')
    await writer.append(events.slice(0, 1), 0)
    for (const ending of ['', '.held']) rmSync(`${file}-a.lock${ending}`)
    await using(file, async (other) => {
      const next = await other.open('a')
      const waiting = [writer.append(events.slice(1, 2), 1), writer.append(events.slice(2), 2)]
      for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected')
      await expect(writer.append([], 3)).rejects.toSatisfy(hasCode('conflict'))
      await next.append(events.slice(1), 1)
      expect(await collect(other.read('a'))).toHaveLength(3)
    })
    await store.close()
  })

  it('lets many processes create the file and write at the same time', async () => {
    const file = join(temporaryFolder(), 'new', 'store.db')
    const agents = ['a', 'b', 'c', 'd']
    const outputs = await Promise.all(agents.map((agent) => output(child(['append', file, agent, '25']))))
    for (const text of outputs) expect(text.trim().split('\n')).toHaveLength(25)
    await using(file, async (store) => {
      expect((await store.list()).map((entry) => entry.agent_id)).toEqual(agents)
      for (const agent of agents) expect(await collect(store.read(agent))).toHaveLength(25)
      expect(await store.check()).toEqual([])
    })
  })

  it('tails what another process appends', async () => {
    const file = join(temporaryFolder(), 'store.db')
    await using(file, async (store) => {
      await append(store, 'a', sampleLog('a', 1))
      const stop = new AbortController()
      const closed = once(child(['append', file, 'a', '10']), 'close')
      const seen: number[] = []
      for await (const event of store.tail('a', { signal: stop.signal })) {
        if (seen.push(event.seq) === 11) stop.abort()
      }
      expect(seen).toEqual(Array.from({ length: 11 }, (_, i) => i + 1))
      await closed
    })
  })
})

describe.skipIf(process.platform === 'win32')('a file that may only be read', () => {
  it.each([
    ['with its folder', 0o555],
    ['in a folder that can be written', 0o777],
  ])('%s gives its events, and says why it takes none', async (_where, mode) => {
    const file = join(temporaryFolder(), 'store.db')
    await using(file, async (store) => append(store, 'a', sampleLog('a', 2)))
    const before = readFileSync(file)
    chmodSync(file, 0o444)
    chmodSync(dirname(file), mode)
    onTestFinished(() => chmodSync(dirname(file), 0o777))
    const text = await output(child(['read', file, 'a']))
    expect(text).toMatch(/^1\n2\nio: .*(?:read-only|this user may not)/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
