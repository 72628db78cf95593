import { expect, test } from 'vitest'
import {
  againstPort,
  againstRules,
  cyclesIn,
  importsIn,
  importsWithin,
  leadNowhere,
  type Port,
  partsWithoutRule,
  unreached,
} from './imports.ts'

/** A tree in which each file imports the files named. */
const treeOf = (files: Readonly<Record<string, readonly string[]>>) =>
  new Map(
    Object.entries(files).map(([file, names]) => [
      `src/${file}`,
      names.map((name) => `import { x } from '${name}'\n`).join(''),
    ]),
  )
const importsOf = (files: Parameters<typeof treeOf>[0]) => importsWithin(treeOf(files))

test('finds imports of values and types, dynamic ones and those passed on, and none in comments or strings', () => {
  const text = `import a from './a.ts'
    import type { B } from './b.ts'
    export { c } from './c.ts'
    export type { D } from './d.ts'
    const e = await import('./e.ts')
    type F = import('./f.ts').F
    // import g from './g.ts'
    const h = "import h from './h.ts'"`
  expect(importsIn(text).sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts'])
})

test('finds a folder without a rule', () => {
  expect(partsWithoutRule(treeOf({ 'text/a.ts': [], 'new/b.ts': [] }), { text: [] })).toEqual(['new'])
})

test('finds an import that no rule allows, of a folder or of another file of it', () => {
  const imports = importsOf({
    'text/a.ts': ['../event/b.ts'],
    'view/c.ts': ['../prompt/sanitize.ts', '../prompt/d.ts'],
  })
  expect(againstRules(imports, { text: [], view: ['prompt/sanitize.ts'] })).toEqual([
    ['src/text/a.ts', 'src/event/b.ts'],
    ['src/view/c.ts', 'src/prompt/d.ts'],
  ])
})

test('finds files that import each other in a circle, directly or through others', () => {
  expect(cyclesIn(importsOf({ 'a.ts': ['./b.ts'], 'b.ts': ['./c.ts'], 'c.ts': [] }))).toEqual([])
  expect(cyclesIn(importsOf({ 'a.ts': ['./a.ts'] }))).toEqual([['src/a.ts']])
  expect(cyclesIn(importsOf({ 'a.ts': ['./b.ts'], 'b.ts': ['./c.ts'], 'c.ts': ['./b.ts'] }))).toEqual([
    ['src/b.ts', 'src/c.ts'],
  ])
  expect(cyclesIn(importsOf({ 'a.ts': ['./b.ts'], 'b.ts': ['./c.ts'], 'c.ts': ['./a.ts'] }))).toEqual([
    ['src/a.ts', 'src/b.ts', 'src/c.ts'],
  ])
})

test('finds a circle of types alone', () => {
  const tree = new Map([
    ['src/a.ts', "import type { B } from './b.ts'"],
    ['src/b.ts', "export type { A } from './a.ts'"],
  ])
  expect(cyclesIn(importsWithin(tree))).toEqual([['src/a.ts', 'src/b.ts']])
})

test('finds what implements a port and knows a neighbour, and who else knows one', () => {
  const port: Port = { folder: 'store', neighbours: ['memory', 'jsonl', 'kv'], choosers: ['cli'] }
  const imports = importsOf({
    'store/memory.ts': ['./store.ts', './kv/row.ts'],
    'store/kv/kv.ts': ['./row.ts', '../jsonl/line.ts'],
    'run/start.ts': ['../store/store.ts', '../store/memory.ts'],
    'cli/open.ts': ['../store/kv/kv.ts'],
  })
  expect(againstPort(imports, port)).toEqual([
    ['src/store/memory.ts', 'src/store/kv/row.ts'],
    ['src/store/kv/kv.ts', 'src/store/jsonl/line.ts'],
    ['src/run/start.ts', 'src/store/memory.ts'],
  ])
})

test('finds files that no entry leads to, and imports that lead nowhere', () => {
  const tree = treeOf({ 'index.ts': ['./a.ts', './gone.ts'], 'a.ts': [], 'dead.ts': ['./a.ts'] })
  const imports = importsWithin(tree)
  expect(unreached(tree, imports, ['src/index.ts'])).toEqual(['src/dead.ts'])
  expect(leadNowhere(tree, imports)).toEqual([['src/index.ts', 'src/gone.ts']])
})
