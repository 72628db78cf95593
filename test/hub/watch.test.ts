import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { CodeIndex } from '../../src/hub/index/code-index.ts'
import { hubFor, projectWith, put, until } from './project.ts'

/** The index as another process sees it, without asking the hub, which would make it look. */
const reader = (root: string) => {
  const index = CodeIndex.openToRead(join(root, '.agentfs/hub.db'))
  if (index === undefined) throw new Error('no index')
  const signature = (path: string, name: string) => {
    index.refresh()
    return index.file(path)?.named.get(name)?.signature
  }
  const paths = () => {
    index.refresh()
    return index.files().map((file) => file.path)
  }
  const isOutdated = (path: string, name: string) =>
    index.file(path)?.named.get(name)?.docstring_outdated === true
  return { signature, paths, isOutdated, close: () => index.close() }
}

it('hears of the ways in which editors save', async () => {
  const root = projectWith({
    'a.py': 'def a(): "Does a."\n',
    'b.py': 'def b(): "Does b."\n',
    'c.py': 'def c(): "Does c."\n',
    'd.py': 'def d(): "Does d."\n',
  })
  await hubFor(root)
  const index = reader(root)
  writeFileSync(join(root, 'a.py'), 'def a(plain): "Does a."\n')
  // Beside it, then over it.
  writeFileSync(join(root, 'b.py.tmp'), 'def b(renamed): "Does b."\n')
  renameSync(join(root, 'b.py.tmp'), join(root, 'b.py'))
  // Away, then anew; with a swap file that is none of ours.
  writeFileSync(join(root, '.c.py.swp'), 'x')
  renameSync(join(root, 'c.py'), join(root, 'c.py~'))
  await wait(20)
  writeFileSync(join(root, 'c.py'), 'def c(backup): "Does c."\n')
  // Empty, then filled.
  truncateSync(join(root, 'd.py'))
  await wait(20)
  writeFileSync(join(root, 'd.py'), 'def d(filled): "Does d."\n')
  for (const [path, name, signature] of [
    ['a.py', 'a', 'def a(plain)'],
    ['b.py', 'b', 'def b(renamed)'],
    ['c.py', 'c', 'def c(backup)'],
    ['d.py', 'd', 'def d(filled)'],
  ] as const)
    await until(() => index.signature(path, name) === signature)
  // None was taken for gone in between: then nobody would know that the docstring is older than the signature.
  for (const name of ['a', 'b', 'c', 'd']) expect(index.isOutdated(`${name}.py`, name), name).toBe(true)
  expect(index.paths()).toEqual(['a.py', 'b.py', 'c.py', 'd.py'])
  index.close()
})

it('follows moved folders, ignores links, and what .gitignore says from now on', async () => {
  const root = projectWith({
    'old/one/a.ts': 'export const a = () => 1\n',
    'old/b.ts': 'export const b = () => 1\n',
    'gen/g.ts': 'export const g = 1\n',
  })
  const outside = projectWith({ 'secret.ts': 'export const s = 1\n' })
  await hubFor(root)
  const index = reader(root)
  expect(index.paths()).toEqual(['gen/g.ts', 'old/b.ts', 'old/one/a.ts'])
  renameSync(join(root, 'old'), join(root, 'new'))
  symlinkSync(outside, join(root, 'linked'))
  symlinkSync(join(outside, 'secret.ts'), join(root, 'link.ts'))
  await until(() => index.paths().join() === 'gen/g.ts,new/b.ts,new/one/a.ts')
  put(root, { '.gitignore': 'gen/\n' })
  await until(() => index.paths().join() === 'new/b.ts,new/one/a.ts')
  put(root, { '.gitignore': 'new/one/\n' })
  await until(() => index.paths().join() === 'gen/g.ts,new/b.ts')
  put(root, { 'gen/deeper/h.ts': 'export const h = 1\n' })
  await until(() => index.paths().includes('gen/deeper/h.ts'))
  index.close()
})

it('takes in thousands of changes at once, and folders that come with their files', async () => {
  const branch = (name: string) =>
    Object.fromEntries(
      Array.from({ length: 900 }, (_, at) => [`p${at % 30}/f${at}.py`, `def ${name}(): pass\n`]),
    )
  const root = projectWith(branch('main'))
  await hubFor(root)
  const index = reader(root)
  put(root, branch('topic'))
  mkdirSync(join(root, 'late/er'), { recursive: true })
  put(root, { 'late/er/x.py': 'def x(): pass\n' })
  rmSync(join(root, 'p29'), { recursive: true })
  await until(() => index.paths().length === 871)
  const isBehind = (path: string) => index.signature(path, 'topic') === undefined && !path.startsWith('late/')
  let behind = index.paths()
  await until(() => {
    behind = behind.filter(isBehind)
    return behind.length === 0
  })
  index.close()
})

// Ten thousand writes: some seconds on a quiet machine, so only in the long form.
it.skipIf(process.env['TWOTRACK_EDITS'] === undefined)(
  'loses nothing when more happens than the system remembers',
  async () => {
    const files = (round: number) =>
      Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`f${at}.py`, `def r${round}(): pass\n`]))
    const root = projectWith(files(0))
    await hubFor(root)
    const index = reader(root)
    // The hub is in this process, and hears nothing while it writes: the queue of events runs over.
    for (let round = 1; round <= 40; round++) put(root, files(round))
    put(root, { 'last/one.py': 'def last(): pass\n', 'f7.py': 'def last(): pass\n' })
    rmSync(join(root, 'f8.py'))
    await until(() => index.paths().length === 250)
    await until(() => index.signature('last/one.py', 'last') !== undefined)
    await until(() => index.signature('f7.py', 'last') !== undefined)
    for (let at = 9; at < 250; at++) await until(() => index.signature(`f${at}.py`, 'r40') !== undefined)
    index.close()
  },
)

it('finds what nobody told it at the next look at all files', async () => {
  const root = projectWith({ 'a.py': 'def a(): pass\n', 'b.py': 'x = (\n', '.git/HEAD': '' })
  const hub = await hubFor(root, { reconcile_ms: 50 })
  expect(hub.status()).toMatchObject({ state: 'fresh', files: 2, nodes: 3, unparsed: 1 })
  // Git's own folder is not watched.
  put(root, { '.git/info/exclude': 'b.py\n' })
  await until(() => hub.status().files === 1)
  expect(hub.status()).toMatchObject({ nodes: 2, unparsed: 0 })
})
