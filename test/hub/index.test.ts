import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CodeIndex } from '../../src/hub/index/code-index.ts'
import { CodeView } from '../../src/hub/index/code-view.ts'
import { lookAtAll } from '../../src/hub/index/look.ts'
import { hubPlace } from '../../src/hub/index/place.ts'
import { projectWith, put } from './project.ts'

const project = (files: Record<string, string>) => {
  const root = projectWith(files)
  const index = new CodeIndex()
  const look = async () => lookAtAll(await hubPlace(root), index, new AbortController().signal)
  const state = (key: string) => new CodeView(index).state(key, true)
  return { root, look, state, view: () => new CodeView(index) }
}

const keys = (edges: readonly { key: string; certain: boolean }[] | null | undefined) =>
  edges?.map(({ key, certain }) => key + (certain ? '' : '?'))

it('knows every field of a state', async () => {
  const { look, state } = project({
    'shop/stock.py':
      'import os\nfrom . import price\n\n@cached\ndef take(n: int) -> int:\n    """Takes from stock.\n\n    More."""\n    if n and os.sep: return price.of(n)\n    return 0\n',
    'shop/price.py': 'def of(n): return n\n',
    'shop/use.py': 'from shop.stock import take\ndef use(): return take(1)\n',
    'test_stock.py': 'from shop.stock import take\ndef test_take(): assert take(1)\n',
  })
  await look()
  expect(state('shop/stock.py:take')).toMatchObject({
    key: 'shop/stock.py:take',
    type: 'function',
    signature: 'def take(n: int) -> int',
    docstring: 'Takes from stock.',
    docstring_outdated: false,
    callees: ['price.of'],
    callers: [{ key: 'shop/use.py:use', certain: true }],
    tests: [{ key: 'test_stock.py:test_take', certain: true }],
    start_line: 4,
    end_line: 10,
    stale: false,
  })
  expect(keys(state('shop/price.py:of')?.callers)).toEqual(['shop/stock.py:take'])
})

it('reads nothing at a second look, only what changed at a third, and purges what vanished', async () => {
  const { root, look, state } = project({
    'a.py': 'def a(): b()\n',
    'b.py': 'def b(): pass\n',
    'c/d.ts': 'export const d = 1\n',
  })
  expect(await look()).toMatchObject({ files: 3, read: 3, parsed: 3, removed: 0 })
  await new Promise((done) => setTimeout(done, 250)) // past the time in which a change could hide behind a stamp
  await look()
  await new Promise((done) => setTimeout(done, 250))
  expect(await look()).toMatchObject({ files: 3, read: 0, parsed: 0, removed: 0 })
  put(root, { 'b.py': 'def b(x): pass\n' })
  rmSync(join(root, 'c'), { recursive: true })
  expect(await look()).toMatchObject({ files: 2, parsed: 1, removed: 1 })
  expect(state('b.py:b')).toMatchObject({ signature: 'def b(x)' })
  expect(state('c/d.ts')).toBeUndefined()
})

it('renews the callers in files that were not edited', async () => {
  const { root, look, state } = project({
    'src/use.ts': "import { take } from './stock.ts'\nexport function use() { take(); late() }\n",
    'src/other.ts': "import { late } from './index.ts'\nexport function other() { late() }\n",
    'src/stock.ts': 'export function give() {}\n',
  })
  await look()
  put(root, { 'src/stock.ts': 'export function take() {}\n' })
  await look()
  expect(keys(state('src/stock.ts:take')?.callers)).toEqual(['src/use.ts:use'])
  put(root, {
    'src/index.ts': "export { late } from './late.ts'\n",
    'src/late.ts': 'export function late() {}\n',
  })
  await look()
  expect(keys(state('src/late.ts:late')?.callers)).toEqual(['src/other.ts:other'])
  rmSync(join(root, 'src/other.ts'))
  await look()
  expect(state('src/late.ts:late')).toMatchObject({ callers: [] })
})

it('keeps the last good state of a file that does not parse, marked, and says when a docstring is behind', async () => {
  const { root, look, state } = project({ 'a.py': 'def a(x):\n    """Does a."""\n' })
  await look()
  put(root, { 'a.py': 'def a(x, y:\n    """Does' })
  await look()
  expect(state('a.py:a')).toMatchObject({ signature: 'def a(x)', stale: true })
  put(root, { 'a.py': 'def a(x, y):\n    """Does a."""\n' })
  await look()
  expect(state('a.py:a')).toMatchObject({ signature: 'def a(x, y)', stale: false, docstring_outdated: true })
  put(root, { 'a.py': 'def a(x, y):\n    """Does a."""\n    return 1\n' })
  await look()
  expect(state('a.py:a')?.docstring_outdated).toBe(true)
  put(root, { 'a.py': 'def a(x, y):\n    """Does a with y."""\n    return 1\n' })
  await look()
  expect(state('a.py:a')).toMatchObject({ docstring_outdated: false })
})

it('follows imports by relative paths, packages, names of packages, tsconfig paths and conftest files', async () => {
  const { root, look, view, state } = project({
    'lib/shop/__init__.py': '',
    'lib/shop/stock.py': 'def take(): pass\n',
    'lib/shop/use.py': 'from . import stock\ndef use(): stock.take()\n',
    'app.py': 'import shop.stock\ndef run(): shop.stock.take()\n',
    'tests/conftest.py': 'from shop import stock\n',
    'tests/unit/test_a.py': 'def test_a(): pass\n',
    'tsconfig.base.json':
      '{\n  // shared\n  "compilerOptions": { "paths": { "@web/*": ["./web/src/*"], } },\n}\n',
    'web/tsconfig.json': '{ "extends": "../tsconfig.base.json" }',
    'web/package.json': '{ "name": "@shop/web", "imports": { "#cart": "./src/cart.ts" } }',
    'web/src/cart.ts': 'export function add() {}\n',
    'web/src/a.ts': "import { add } from '@web/cart'\nexport const a = () => add()\n",
    'web/src/b.ts': "import { add } from '#cart'\nexport const b = () => add()\n",
    'api/c.ts': "const { add } = require('@shop/web/cart')\nexport const c = () => add()\n",
    'api/d.ts': "export const d = () => import('./c.js')\n",
  })
  await look()
  expect(view().importersOf('lib/shop/stock.py')).toEqual(['app.py', 'lib/shop/use.py', 'tests/conftest.py'])
  expect(view().importersOf('tests/conftest.py')).toEqual(['tests/unit/test_a.py'])
  expect(view().importersOf('web/src/cart.ts')).toEqual(['api/c.ts', 'web/src/a.ts', 'web/src/b.ts'])
  expect(view().importersOf('api/c.ts')).toEqual(['api/d.ts'])
  expect(keys(state('web/src/cart.ts:add')?.callers)).toEqual([
    'api/c.ts:c',
    'web/src/a.ts:a',
    'web/src/b.ts:b',
  ])
  expect(state('lib/shop/stock.py')).toMatchObject({
    callers: [{ key: 'app.py' }, { key: 'lib/shop/use.py' }],
    tests: [{ key: 'tests/conftest.py', certain: true }],
  })
  put(root, { 'tsconfig.base.json': '{}' })
  await look()
  expect(view().importersOf('web/src/cart.ts')).toEqual(['api/c.ts', 'web/src/b.ts'])
})
