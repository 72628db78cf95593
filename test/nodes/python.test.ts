import { expect, it } from 'vitest'
import { fixtureNodes, outlineOf } from './fixture.ts'

it('finds functions, methods, nested and conditional definitions and bound lambdas', async () => {
  const nodes = await fixtureNodes('shop.py')
  expect(outlineOf(nodes.values())).toEqual([
    'file',
    'function fetch',
    'class Cart',
    'method Cart.key',
    'method Cart.__init__',
    'function Cart.__init__.total',
    'method Cart.size',
    'method Cart.size~2',
    'class Cart.Line',
    'method Cart.Line.__init__',
    'function main',
    'function main~2',
    'function kind',
  ])
})

it('gives a signature on one line without comments, and its parts', async () => {
  const fetch = (await fixtureNodes('shop.py')).get('fetch')
  expect(fetch?.signature).toBe(
    'async def fetch(key, /, url: str = "a  b", *rest: int, retries=(1,), **options: object) -> dict[str, int]',
  )
  expect(fetch?.params).toEqual([
    { name: 'key', type: null, default: null },
    { name: 'url', type: 'str', default: '"a  b"' },
    { name: '*rest', type: 'int', default: null },
    { name: 'retries', type: null, default: '(1,)' },
    { name: '**options', type: 'object', default: null },
  ])
  expect(fetch?.returns).toBe('dict[str, int]')
  expect(fetch?.decorators).toEqual(['@cached', '@limit(10)'])
})

it('takes the first line of a docstring, whatever way it is written', async () => {
  const nodes = await fixtureNodes('shop.py')
  const docstring = (name: string) => nodes.get(name)?.docstring
  expect(docstring('')).toBe('A small shop.')
  expect(docstring('fetch')).toBe('Fetch \\d prices.')
  expect(docstring('Cart')).toBe('Holds lines.')
  expect(docstring('main~2')).toBe('Two parts')
  expect(docstring('kind')).toBeNull()
})

it('lists callees as written, and marks members of what has no name', async () => {
  const nodes = await fixtureNodes('shop.py')
  expect(nodes.get('fetch')?.callees).toEqual(['book.write', '*.items', 'take_out'])
  expect(nodes.get('Cart.size')?.callees).toEqual(['*.second', '*.first', 'count'])
})

it('lists the imports of a file with names and aliases', async () => {
  const imports = (await fixtureNodes('shop.py')).get('')?.imports
  expect(imports?.map(({ line, reexport, ...rest }) => rest)).toEqual([
    { module: '__future__', alias: null, names: [{ name: 'annotations', alias: null }] },
    { module: 'os.path', alias: 'paths', names: [] },
    { module: 'sys', alias: null, names: [] },
    { module: '.', alias: null, names: [{ name: 'ledger', alias: 'book' }] },
    {
      module: '.stock',
      alias: null,
      names: [
        { name: 'count', alias: null },
        { name: 'take', alias: 'take_out' },
      ],
    },
    { module: 'prices', alias: null, names: [{ name: '*', alias: null }] },
  ])
})
