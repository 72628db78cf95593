import { describe, expect, test } from 'vitest'
import { impuritiesIn, moduleStateIn } from './purity.ts'

describe('what is not pure is found', () => {
  test.each([
    ["import { readFileSync } from 'node:fs'", 'node:fs'],
    ["import type { Stats } from 'node:fs'", 'node:fs'],
    ['export async function f() {}', 'async'],
    ['const f = async () => 1', 'async'],
    ['export function f(x: Promise<number>) {}', 'Promise'],
    ['const now = Date.now()', 'Date.now'],
    ['const now = new Date()', 'new Date()'],
    ['const chance = Math.random()', 'Math.random'],
    ['const digits = Math.log2(7)', 'Math.log2'],
    ["const home = process.env['HOME']", 'process'],
    ['performance.now()', 'performance'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ["fetch('http://localhost')", 'fetch'],
    ['const order = a.localeCompare(b)', 'a.localeCompare'],
    ["new Intl.NumberFormat('en')", 'Intl'],
    ["globalThis['process']", 'globalThis'],
    ['console.log(1)', 'console'],
  ])('%s', (text, found) => {
    expect(impuritiesIn(text)).toContain(found)
  })

  test.each([
    "const text = 'async Promise process.env Date.now()'",
    '/** `process.env` and async are words here. */',
    'const pattern = /await Promise/',
    'const at = new Date(timestamp).toISOString()',
    'const { length } = call.process',
    'const data = { process: 1 }',
    'const least = Math.max(Math.sqrt(4), Math.floor(1.5))',
  ])('and this is pure: %s', (text) => {
    expect(impuritiesIn(text)).toEqual([])
  })
})

describe('what outlives a call is found', () => {
  test.each([
    ['let count = 0', 'count'],
    ['export let count = 0', 'count'],
    ['var count = 0', 'count'],
    ['const cache = new Map<string, number>()', 'cache'],
    ['const cache = new WeakMap()', 'cache'],
    ["const known = new Set(['a'])\nexport const f = (x: string) => { known.add(x) }", 'known'],
    ["const known = new Map([['a', 1]])\nfunction f() { known.set('b', 2) }", 'known'],
    ['const list: number[] = []\nexport function f() { list.push(1) }', 'list'],
    ['const table = { a: 1 }\nfunction f() { table.a = 2 }', 'table'],
    ['const table = { a: [1] }\nfunction f() { table.a[0] = 2 }', 'table'],
    ['const table = { a: 1 }\nfunction f() { table.a++ }', 'table'],
    ["const table: T = {}\nfunction f() { delete table['a'] }", 'table'],
    ['const table = { a: 1 }\nfunction f() { Object.assign(table, { b: 1 }) }', 'table'],
    ['class Reader { static count = 0 }', 'count'],
  ])('%s', (text, found) => {
    expect(moduleStateIn(text)).toEqual([found])
  })

  test.each([
    "const NAMES = new Set(['a'])\nexport const f = (x: string) => NAMES.has(x)",
    'export function f() { let n = 0; const seen = new Map(); seen.set(1, n++); return seen }',
    'const LIST = [3, 1]\nexport const sorted = () => LIST.toSorted()',
    'class Reader { static readonly max = 1; #at = 0; next() { this.#at++ } }',
  ])('and this is none: %s', (text) => {
    expect(moduleStateIn(text)).toEqual([])
  })
})
