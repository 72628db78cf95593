import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { createWorkspace, workspaceFor } from '../../src/workspace/workspace.ts'
import { hubFor, projectWith, put } from './project.ts'

const shop = {
  'shop/stock.py': 'def take(n): return n\n',
  'shop/use.py': 'from shop.stock import take\ndef use(): return take(1)\n',
  'test_stock.py': 'from shop.stock import take\ndef test_take(): assert take(1)\n',
}
const TAKE = 'shop/stock.py:take'
const USE = { key: 'shop/use.py:use', certain: true }

describe('a hub that nobody started', () => {
  it('knows callers and tests with the first question, and reads nothing before', async () => {
    const project = projectWith(shop)
    const hub = hubFor(project)
    expect(existsSync(join(project, '.agentfs'))).toBe(false)
    const first = await hub.pull([TAKE, 'shop/none.py:x', 'README.md', 'task'], undefined)
    expect(first).toMatchObject({
      source: 'index',
      missing: ['shop/none.py:x'],
      states: [{ key: TAKE, callers: [USE], tests: [{ key: 'test_stock.py:test_take' }] }],
    })
    expect(first.freshness).toBe(first.states[0]?.updated_at)
  })

  it('gets what the files say now, also right after an edit', async () => {
    const project = projectWith(shop)
    const hub = hubFor(project)
    const { freshness } = await hub.pull([TAKE], undefined)
    for (let edit = 2; edit < 12; edit++) {
      put(project, { 'shop/stock.py': `def take(n${edit}): return 1\n` })
      const { states } = await hub.pull([TAKE], freshness)
      expect(states).toMatchObject([{ signature: `def take(n${edit})`, callers: [USE] }])
    }
    put(project, { 'shop/use.py': '' })
    expect((await hub.pull([TAKE], undefined)).states).toMatchObject([{ callers: [] }])
    rmSync(join(project, 'test_stock.py'))
    expect((await hub.pull([TAKE], undefined)).states).toMatchObject([{ tests: [] }])
    put(project, { 'shop/stock.py': 'def grab(n): return n\n' })
    expect((await hub.pull(['shop/stock.py:grab', TAKE], undefined)).missing).toEqual([TAKE])
  })

  it('gets nothing when nothing changed since, and all again when the nodes are others', async () => {
    const hub = hubFor(projectWith(shop))
    const { freshness } = await hub.pull([TAKE], undefined)
    expect(await hub.pull([TAKE], freshness)).toEqual({ states: [], freshness, source: 'index' })
    expect((await hub.pull([TAKE, 'shop/use.py'], freshness)).states).toHaveLength(2)
  })

  it('is told to stop by its signal, and by nothing else', async () => {
    const hub = hubFor(projectWith(shop))
    await expect(hub.pull([TAKE], undefined, AbortSignal.abort())).rejects.toThrow()
    await hub.close()
    expect(await hub.pull([TAKE], undefined)).toMatchObject({ states: [], source: 'none' })
    const nowhere = hubFor('/no/such/folder')
    expect(await nowhere.pull([TAKE], undefined)).toMatchObject({
      source: 'none',
      note: expect.stringContaining("can't be read"),
    })
  })

  it('reads nothing outside of the project, whatever a key says', async () => {
    const outside = projectWith({ 'secret.py': 'def key(): pass\n' })
    const project = projectWith({ ...shop, 'ignored/i.py': 'def i(): pass\n', '.gitignore': 'ignored\n' })
    const name = outside.slice(outside.lastIndexOf('/') + 1)
    const keys = [`../${name}/secret.py:key`, `${outside}/secret.py:key`, 'shop/../../x.py', 'a\0b.py:x']
    const hub = hubFor(project)
    expect((await hub.pull(keys, undefined)).states).toEqual([])
    // There, but not part of the project: it is not called missing either.
    expect(await hub.pull(['ignored/i.py:i'], undefined)).toMatchObject({ states: [], missing: [] })
  })

  it('gives all of the code as well', async () => {
    const graph = await hubFor(projectWith(shop)).graph()
    expect(graph.importersOf('shop/stock.py')).toEqual(['shop/use.py', 'test_stock.py'])
    expect(graph.files()).toEqual(Object.keys(shop))
  })
})

describe('the index on disk', () => {
  const filed = (project: string) => join(project, '.agentfs/hub.index')
  const altered = (file: string, from: string, to: string) =>
    writeFileSync(
      file,
      zstdCompressSync(zstdDecompressSync(readFileSync(file)).toString().replaceAll(from, to)),
    )

  it('is used by the next process', async () => {
    const project = projectWith(shop)
    const first = hubFor(project)
    await first.pull([TAKE], undefined)
    await first.close()
    altered(filed(project), '"signature":"def take(n)"', '"signature":"def kept(n)"')
    expect((await hubFor(project).pull([TAKE], undefined)).states).toMatchObject([
      { signature: 'def kept(n)', callers: [USE] },
    ])
  })

  test.each([
    ['is damaged', (file: string) => writeFileSync(file, 'not an index, '.repeat(1000))],
    ['ends too early', (file: string) => truncateSync(file, 300)],
    ['has another format', (file: string) => altered(file, '"format":', '"format":1')],
    ['holds something else', (file: string) => altered(file, '{"row":', '[{"row":')],
  ])('that %s is made anew', async (_, damage) => {
    const project = projectWith(shop)
    for (let time = 0; time < 3; time++) {
      const hub = hubFor(project)
      expect((await hub.pull([TAKE], undefined)).states).toMatchObject([{ callers: [USE] }])
      await hub.close()
      damage(filed(project))
    }
  })

  it('is not believed when it came with the project', async () => {
    const [mine, theirs] = [projectWith(shop), projectWith(shop)]
    const other = hubFor(theirs)
    await other.pull([TAKE], undefined)
    await other.close()
    altered(filed(theirs), 'shop/use.py:use', 'shop/use.py:run this now')
    put(mine, { '.agentfs/.gitignore': '*\n' })
    copyFileSync(filed(theirs), filed(mine))
    expect((await hubFor(mine).pull([TAKE], undefined)).states).toMatchObject([{ callers: [USE] }])
  })

  it('is not needed: where nothing can be written, this process has its own', async () => {
    const project = projectWith({ ...shop, '.agentfs/hub.index/in-the-way': '' })
    expect((await hubFor(project).pull([TAKE], undefined)).states).toMatchObject([{ callers: [USE] }])
    const readOnly = projectWith(shop)
    chmodSync(readOnly, 0o500)
    expect((await hubFor(readOnly).pull([TAKE], undefined)).states).toMatchObject([{ callers: [USE] }])
    chmodSync(readOnly, 0o700)
    const unkept = projectWith(shop)
    expect((await hubFor(unkept, null).pull([TAKE], undefined)).states).toMatchObject([{ callers: [USE] }])
    expect(existsSync(join(unkept, '.agentfs'))).toBe(false)
  })
})

describe('with a workspace', () => {
  it('shows the agent its own edits, and what others changed elsewhere', async () => {
    const project = projectWith(shop)
    const workspace = await createWorkspace({ project, folder: join(project, '.agentfs'), id: 'a' })
    const hub = hubFor(project).at(workspace.root)
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
  })

  for (const make of [createWorkspace, workspaceFor])
    it(`gives all of the code with what the agent added and removed (${make.name})`, async () => {
      const project = projectWith(shop)
      const workspace = await make({ project, folder: join(project, '.agentfs'), id: 'a' })
      const hub = hubFor(project).at(() => workspace.root)
      expect((await hub.graph()).files()).toEqual(Object.keys(shop))
      await workspace.write('tests/test_new.py', 'from shop import stock\nstock.take(1)\n')
      await workspace.write('shop/use.py', '')
      const graph = await hub.graph()
      expect(graph.importersOf('shop/stock.py')).toEqual(['test_stock.py', 'tests/test_new.py'])
      expect(graph.callersOf(TAKE).map(({ key }) => key)).toEqual([
        'test_stock.py:test_take',
        'tests/test_new.py',
      ])
    })
})
