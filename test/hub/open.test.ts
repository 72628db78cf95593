import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHub } from '../../src/hub/open.ts'
import { startHub } from '../../src/hub/serve/running.ts'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { hubFor, projectWith, put } from './project.ts'

const shop = {
  'shop/stock.py': 'def take(n): return n\n',
  'shop/use.py': 'from shop.stock import take\ndef use(): return take(1)\n',
  'test_stock.py': 'from shop.stock import take\ndef test_take(): assert take(1)\n',
}
const TAKE = 'shop/stock.py:take'

describe('a client of a running hub', () => {
  it('gets what the files say now, also right after an edit', async () => {
    const project = projectWith(shop)
    await hubFor(project)
    const hub = await openHub({ project })
    const first = await hub.pull([TAKE, 'shop/none.py:x', 'README.md', 'task'], undefined)
    expect(first).toMatchObject({
      source: 'hub',
      missing: ['shop/none.py:x'],
      states: [{ key: TAKE, callers: [{ key: 'shop/use.py:use', certain: true }] }],
    })
    expect(first.freshness).toBe(first.states[0]?.updated_at)
    for (let edit = 2; edit < 12; edit++) {
      put(project, { 'shop/stock.py': `def take(n${edit}): return 1\n` })
      const { states } = await hub.pull([TAKE], first.freshness)
      expect(states).toMatchObject([{ signature: `def take(n${edit})` }])
    }
    put(project, { 'shop/use.py': '' })
    await hub.pull(['shop/use.py'], undefined)
    expect((await hub.pull([TAKE], undefined)).states).toMatchObject([{ callers: [] }])
    await hub.close()
  })

  it('gets nothing when nothing changed since, and all again when the nodes are others', async () => {
    const project = projectWith(shop)
    await hubFor(project)
    const hub = await openHub({ project })
    const { freshness } = await hub.pull([TAKE], undefined)
    expect(await hub.pull([TAKE], freshness)).toEqual({ states: [], freshness, source: 'hub' })
    expect((await hub.pull([TAKE, 'shop/use.py'], freshness)).states).toHaveLength(2)
    await hub.close()
  })

  it('goes on without it when it dies, and says so once', async () => {
    const project = projectWith(shop)
    const running = await hubFor(project)
    const hub = await openHub({ project })
    await hub.pull([TAKE], undefined)
    await running.stop()
    put(project, { 'shop/stock.py': 'def take(now): return 1\n' })
    const answer = await hub.pull([TAKE], undefined)
    expect(answer).toMatchObject({
      source: 'index, the hub is gone',
      note: expect.stringContaining('The hub is gone'),
      states: [{ signature: 'def take(now)', stale: false }],
    })
    const next = await hub.pull([TAKE], undefined)
    expect([next.source, next.note]).toEqual(['index', undefined])
    await hubFor(project)
    expect((await hub.pull([TAKE], undefined)).source).toBe('hub')
    await hub.close()
  })

  it('leaves alone one that does not answer sensibly', async () => {
    const project = projectWith({ ...shop, '.agentfs/x': '' })
    const server = createServer((socket) => socket.end('{"value": {"states": 7}}\n'))
    await new Promise<void>((done) => server.listen(join(project, '.agentfs/hub.sock'), done))
    const hub = await openHub({ project })
    expect(await hub.pull([TAKE], undefined)).toMatchObject({ source: 'files', states: [{ key: TAKE }] })
    server.close()
  })

  it('is told to stop by its signal, and by nothing else', async () => {
    const hub = await openHub({ project: projectWith(shop) })
    await expect(hub.pull([TAKE], undefined, AbortSignal.abort())).rejects.toThrow()
  })
})

describe('a client without a hub', () => {
  it('reads the few files itself, and says that it does not know the callers', async () => {
    const hub = await openHub({ project: projectWith(shop) })
    expect(await hub.pull([TAKE], undefined)).toMatchObject({
      source: 'files',
      states: [{ signature: 'def take(n)', callers: null, tests: null }],
    })
  })

  it('uses the index that a hub left, reads at most five stale files, and marks the others', async () => {
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}.py`, 'def f(): pass\n']))
    const project = projectWith(many)
    await (await hubFor(project)).stop()
    put(project, Object.fromEntries(Object.keys(many).map((path) => [path, 'def f(x): pass\n'])))
    const hub = await openHub({ project })
    const { states, source } = await hub.pull(
      Object.keys(many).map((path) => `${path}:f`),
      undefined,
    )
    expect(source).toBe('index')
    expect(states.filter((state) => state.signature === 'def f(x)' && !state.stale)).toHaveLength(5)
    expect(states.filter((state) => state.signature === 'def f()' && state.stale)).toHaveLength(3)
    await hub.close()
  })

  it('knows who calls a node under its new name, and that a caller is gone', async () => {
    const project = projectWith(shop)
    await (await hubFor(project)).stop()
    const hub = await openHub({ project })
    put(project, { 'shop/stock.py': 'def grab(n): return n\n' })
    expect((await hub.pull(['shop/stock.py:grab', TAKE], undefined)).missing).toEqual([TAKE])
    put(project, { 'shop/stock.py': 'def take(n): return n\n' })
    rmSync(join(project, 'shop/use.py'))
    expect((await hub.pull([TAKE], undefined)).states[0]?.callers).toEqual([])
    await hub.close()
  })

  it('reads nothing outside of the project, whatever a key says', async () => {
    const outside = projectWith({ 'secret.py': 'def key(): pass\n' })
    const project = projectWith({ ...shop, 'ignored/i.py': 'def i(): pass\n', '.gitignore': 'ignored\n' })
    const name = outside.slice(outside.lastIndexOf('/') + 1)
    const keys = [`../${name}/secret.py:key`, `${outside}/secret.py:key`, 'shop/../../x.py', 'a\0b.py:x']
    const hub = await openHub({ project })
    expect((await hub.pull(keys, undefined)).states).toEqual([])
    await hubFor(project)
    expect((await hub.pull(keys, undefined)).states).toEqual([])
    // There, but not part of the project: it is not called missing either.
    expect(await hub.pull(['ignored/i.py:i'], undefined)).toMatchObject({ states: [], missing: [] })
    await hub.close()
  })
})

describe('with a workspace', () => {
  for (const withHub of [true, false])
    it(`shows the agent its own edits, and what others changed elsewhere (${withHub ? 'hub' : 'index'})`, async () => {
      const project = projectWith(shop)
      const running = await hubFor(project)
      const workspace = await createWorkspace({ project, folder: join(project, '.agentfs'), id: 'a' })
      if (!withHub) await running.stop()
      const hub = await openHub({ project, workspace: workspace.root })
      const before = await hub.pull([TAKE], undefined)
      await workspace.write('shop/stock.py', 'def take(n, own): return n\ndef fresh(): return take(1, 2)\n')
      const { states } = await hub.pull([TAKE, 'shop/stock.py:fresh', 'shop/use.py:use'], before.freshness)
      expect(states).toMatchObject([
        {
          signature: 'def take(n, own)',
          callers: [{ key: 'shop/stock.py:fresh' }, { key: 'shop/use.py:use' }],
          tests: [{ key: 'test_stock.py:test_take' }],
        },
        { signature: 'def fresh()' },
        { signature: 'def use()' },
      ])
      // Another agent's change was accepted into the project; this agent has not touched that file.
      put(project, { 'shop/use.py': 'def use(other): pass\n', 'shop/stock.py': 'def take(theirs): pass\n' })
      const later = await hub.pull([TAKE, 'shop/use.py:use'], undefined)
      expect(later.states).toMatchObject([
        { signature: 'def take(n, own)', callers: [{ key: 'shop/stock.py:fresh' }] },
        { signature: 'def use(other)' },
      ])
      await workspace.remove('shop/use.py')
      expect(await hub.pull(['shop/use.py:use'], undefined)).toMatchObject({
        states: [],
        missing: ['shop/use.py:use'],
      })
      await hub.close()
    })
})

describe('one hub a project', () => {
  it('refuses a second, and clears away what a killed one left', async () => {
    const project = projectWith({ ...shop, '.agentfs/hub.sock': '', '.agentfs/hub.json': '{"pid": 1}' })
    const running = await hubFor(project)
    await expect(startHub({ project })).rejects.toThrow(/A hub runs for .* already/)
    await running.stop()
    expect(existsSync(join(project, '.agentfs/hub.json'))).toBe(false)
    await hubFor(project)
  })

  it('runs where the path is longer than a socket may have', async () => {
    const project = join(projectWith({}), 'deep/'.repeat(40))
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'a.py'), 'def a(): pass\n')
    const running = await hubFor(project)
    expect(running.place.socket.length).toBeLessThan(100)
    const hub = await openHub({ project })
    expect((await hub.pull(['a.py:a'], undefined)).source).toBe('hub')
    await hub.close()
  })
})
