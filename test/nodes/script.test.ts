import { expect, it } from 'vitest'
import { fixtureNodes, outlineOf } from './fixture.ts'

it('finds every kind of TypeScript definition, and leaves out members of objects without a name', async () => {
  const nodes = await fixtureNodes('shop.ts')
  expect(outlineOf(nodes.values())).toEqual([
    'file',
    'function add',
    'function add~2',
    'function add~3',
    'function sum',
    'class Cart',
    'method Cart.find',
    'method Cart.size',
    'method Cart.size~2',
    'method Cart.of',
    'method Cart.onClick',
    'method Cart.total',
    'method Cart.[Symbol.iterator]',
    'method Cart.not-a-word',
    "method Cart.'a.b'",
    'method Cart.constructor',
    'class Counted',
    'method Counted.count',
    'class Pair',
    'method Pair.left',
    'class Size',
    'function Outer.Inner.deep',
    "function 'ambient/module'.declared",
    'class Window',
    'method Window.shop',
    'method api.get',
    'method api.nested.post',
    'function one',
    'function two',
    'function two.inside',
    'function default',
  ])
})

it('finds what CommonJS and prototypes define', async () => {
  const nodes = await fixtureNodes('shop.cjs')
  expect(outlineOf(nodes.values())).toEqual([
    'file',
    'function sell',
    'function buy',
    'method Shop.open',
    'method Shop.open.close',
    'class Shop',
    'method Shop.run',
    'function Mixed',
    'method Mixed.mixed',
  ])
  expect(nodes.get('')?.imports.map(({ module, alias, names }) => ({ module, alias, names }))).toEqual([
    {
      module: './stock',
      alias: null,
      names: [
        { name: 'take', alias: null },
        { name: 'count', alias: 'size' },
      ],
    },
    { module: 'path', alias: 'path', names: [] },
    { module: './side-effect', alias: null, names: [] },
  ])
})

it('gives signatures on one line, with parameters, types and defaults', async () => {
  const nodes = await fixtureNodes('shop.ts')
  const signature = (name: string) => nodes.get(name)?.signature
  expect(signature('sum')).toBe('sum = async <T>(first: T, { a, b }: Pair = {}, ...rest: T[]): Promise<T>')
  expect(signature('Cart')).toBe('abstract class Cart<T> extends Base implements Counted')
  expect(signature('Cart.find')).toBe('private async *find(this: Cart<T>, name?: string): AsyncGenerator<T>')
  expect(signature('Cart.size~2')).toBe('set size(value: number)')
  expect(signature('Size')).toBe('const enum Size')
  expect(nodes.get('sum')?.params).toEqual([
    { name: 'first', type: 'T', default: null },
    { name: '{ a, b }', type: 'Pair', default: '{}' },
    { name: '...rest', type: 'T[]', default: null },
  ])
  expect(nodes.get('sum')?.returns).toBe('Promise<T>')
})

it('takes doc comments before decorators, exports and remarks, and decorators from wherever they stand', async () => {
  const nodes = await fixtureNodes('shop.ts')
  expect(nodes.get('')?.docstring).toBe('A small shop.')
  expect(nodes.get('add')?.docstring).toBe('Adds up. é—𝄞')
  expect(nodes.get('sum')?.docstring).toBeNull()
  expect(nodes.get('Cart')).toMatchObject({
    docstring: '@internal',
    decorators: ['@sealed', "@register('cart', { deep: true })"],
  })
  expect(nodes.get('Cart.find')).toMatchObject({ docstring: 'Finds a line.', decorators: ['@log()'] })
})

it('counts components of JSX as callees, and plain elements not', async () => {
  const nodes = await fixtureNodes('view.tsx')
  expect(nodes.get('View')?.callees).toEqual(['Frame', 'title'])
  expect(nodes.get('View.title')?.callees).toEqual(['Title.Big'])
})

it('lists imports and what is passed on', async () => {
  const imports = (await fixtureNodes('shop.ts')).get('')?.imports ?? []
  const told = imports.map(({ module, alias, names, reexport }) => {
    const list = names.map((it) => (it.alias === null ? it.name : `${it.name} as ${it.alias}`)).join(', ')
    return `${reexport ? 'export' : 'import'} ${alias ?? ''}{${list}} ${module}`
  })
  expect(told).toEqual([
    'import {Price} ./price.ts',
    'import {default as fs, readFile as read, Stats} node:fs',
    'import book{} ./ledger.ts',
    'import {} ./side-effect.ts',
    'import legacy{} legacy',
    'export {take as takeOut} ./stock.ts',
    'export {*} ./stock.ts',
    'export {* as all} ./stock.ts',
    'import {} ./late.ts',
  ])
})
