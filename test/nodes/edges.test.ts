import { expect, it } from 'vitest'
import { edgesOf, linksOf } from '../../src/nodes/edges.ts'
import { noLayout } from '../../src/nodes/modules.ts'
import { type CodeProject, fileNodes, mentionsIn } from '../../src/nodes/names.ts'
import { parseNodes } from '../../src/nodes/parse.ts'

/** `caller`, with `?` behind an uncertain one. */
const edgesIn = async (sources: Record<string, string>) => {
  const parsed = await Promise.all(Object.entries(sources).map(([path, text]) => parseNodes(path, text)))
  const files = new Map(parsed.map(({ path, nodes }) => [path, fileNodes(nodes)]))
  const project: CodeProject = {
    paths: () => files.keys(),
    file: (path) => files.get(path),
    mentions: (path) => mentionsIn([...(files.get(path)?.named.values() ?? [])]),
    has: (path) => files.has(path),
    layout: noLayout,
    imported: new Map(),
  }
  const { callersOf } = linksOf(project)
  const tell = (kind: 'callers' | 'tests') => (key: string) => {
    const node = parsed.flatMap(({ nodes }) => nodes).find((one) => one.key === key)
    return (
      node &&
      edgesOf(node, { callersOf, importersOf: () => [] })[kind].map(
        (edge) => edge.key + (edge.certain ? '' : '?'),
      )
    )
  }
  return { callers: tell('callers'), tests: tell('tests') }
}

it('follows Python imports: names, aliases, modules, packages that pass on', async () => {
  const { callers } = await edgesIn({
    'shop/__init__.py': 'from .stock import take\n',
    'shop/stock.py': 'def take(): pass\ndef count(): return take()\n',
    'other.py': 'def take(): pass\n',
    'a.py': 'from shop.stock import take as grab\ndef a(): grab()\n',
    'b.py': 'import shop.stock\ndef b(): shop.stock.take()\n',
    'c.py': 'from shop import stock\ndef c(): stock.take()\n',
    'd.py': 'from shop import take\ndef d(): take()\n',
    'e.py': 'from elsewhere import take\ndef e(): take()\n',
    'f.py': 'def take(): pass\ndef f(): take()\n',
    'g.py': 'from shop.stock import *\ndef g(): take()\n',
    'h.py': 'from shop.stock import take\ndef h(take): take()\n',
  })
  expect(callers('shop/stock.py:take')).toEqual([
    'a.py:a',
    'b.py:b',
    'c.py:c',
    'd.py:d',
    'g.py:g?',
    'shop/stock.py:count',
  ])
  expect(callers('other.py:take')).toEqual([])
  expect(callers('f.py:take')).toEqual(['f.py:f'])
})

it('follows TypeScript imports: names, namespaces, re-exports, endings, index files, require', async () => {
  const { callers } = await edgesIn({
    'src/stock.ts':
      'export function take() {}\nexport class Box { open() { this.shut() } shut() {} static make() {} }\n',
    'src/index.ts': "export { take as grab } from './stock.js'\nexport * from './stock'\n",
    'src/a.ts': "import { take as t } from './stock.js'\nconst a = () => t()\n",
    'src/b.ts': "import * as stock from './stock.ts'\nfunction b() { stock.take(); stock.Box.make() }\n",
    'src/c.ts': "import { grab, Box } from '.'\nfunction c() { grab(); new Box().open(); Box.make() }\n",
    'src/d.cjs': "const { take } = require('./stock')\nfunction d() { take() }\n",
    'src/e.ts': "import { take } from 'elsewhere'\nfunction e() { take() }\n",
    'src/f.ts': 'function f() { take() }\n',
  })
  expect(callers('src/stock.ts:take')).toEqual(['src/a.ts:a', 'src/b.ts:b', 'src/c.ts:c', 'src/d.cjs:d'])
  expect(callers('src/stock.ts:Box')).toEqual(['src/c.ts:c'])
  expect(callers('src/stock.ts:Box.make')).toEqual(['src/b.ts:b', 'src/c.ts:c'])
  expect(callers('src/stock.ts:Box.shut')).toEqual(['src/stock.ts:Box.open'])
})

it('tells same-named methods of two classes apart, and says when a receiver is unknown', async () => {
  const { callers } = await edgesIn({
    'a.py':
      'class A:\n    def run(self): self.stop()\n    def stop(self): pass\nclass B:\n    def stop(self): pass\n    def only(self): pass\n',
    'b.py': 'from a import A\ndef use(x):\n    x.stop()\n    x.only()\n',
  })
  expect(callers('a.py:A.stop')).toEqual(['a.py:A.run'])
  expect(callers('a.py:B.stop')).toEqual([])
  expect(callers('a.py:B.only')).toEqual(['b.py:use?'])
})

it('lists tests apart from callers, and those of a class as likely tests of its methods', async () => {
  const { callers, tests } = await edgesIn({
    'src/cart.ts': 'export class Cart { add() {} }\nexport const total = () => 1\n',
    'test/cart.test.ts':
      "import { Cart, total } from '../src/cart.ts'\nit('adds', () => { new Cart(); total() })\n",
    'shop.py': 'def sell(): pass\n',
    'test_shop.py': 'from shop import sell\ndef test_sell(): sell()\n',
  })
  expect(callers('src/cart.ts:total')).toEqual([])
  expect(tests('src/cart.ts:total')).toEqual(['test/cart.test.ts'])
  expect(tests('src/cart.ts:Cart.add')).toEqual(['test/cart.test.ts?'])
  expect(tests('shop.py:sell')).toEqual(['test_shop.py:test_sell'])
})

it('ends on files that pass names on in a circle', async () => {
  const { callers } = await edgesIn({
    'a.ts': "export * from './b.ts'\n",
    'b.ts': "export * from './a.ts'\n",
    'c.ts': "import { lost } from './a.ts'\nfunction c() { lost() }\n",
  })
  expect(callers('c.ts:c')).toEqual([])
})

it('follows a name that is imported in two ways to the one that is there', async () => {
  const { callers } = await edgesIn({
    'fast.py': 'def sell(): pass\n',
    'shop.py':
      'try:\n    from _fast import sell\nexcept ImportError:\n    from fast import sell\n\ndef buy(): sell()\n',
  })
  expect(callers('fast.py:sell')).toEqual(['shop.py:buy'])
})
