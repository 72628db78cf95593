import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ID_CHARS_MAX } from '../../src/limits.ts'
import { nodeKey, nodeSource } from '../../src/nodes/node.ts'
import { parseNodes, SOURCE_BYTES_MAX } from '../../src/nodes/parse.ts'
import { sha256 } from '../../src/sha256.ts'
import { fixtureBytes } from './fixture.ts'

const seed = Number(process.env['SEED'] ?? 20261115)

describe('what a file holds never throws', () => {
  it('gives the nodes that can be recovered from a file that does not parse, and says so', async () => {
    const { nodes, parsed, errors } = await parseNodes('broken.py', fixtureBytes('broken.py'))
    expect(parsed).toBe(false)
    expect(errors).toEqual([{ code: 'syntax', line: 6, message: 'unexpected "="' }])
    expect(nodes.map((node) => node.key)).toEqual([
      'broken.py',
      'broken.py:before',
      'broken.py:broken',
      'broken.py:After',
      'broken.py:After.method',
    ])
  })

  it.each([
    ['too_large', 'a.py', Buffer.alloc(SOURCE_BYTES_MAX + 1, '#')],
    ['binary', 'a.ts', Buffer.from('const a = 1\0')],
    ['unknown_language', 'a.rb', Buffer.from('def a; end')],
  ])('refuses with the reason %s', async (code, path, source) => {
    const { nodes, parsed, errors } = await parseNodes(path, source)
    expect({ nodes, parsed, codes: errors.map((error) => error.code) }).toEqual({
      nodes: [],
      parsed: false,
      codes: [code],
    })
  })

  it.each(['', '\uFEFF', '#!/bin/sh', '\n\n'])('gives the file node alone for %j', async (source) => {
    for (const path of ['a.py', 'a.ts', 'a.js'])
      expect((await parseNodes(path, source)).nodes).toHaveLength(1)
  })

  it.each([
    ['brackets', 'a.py', `x = ${'('.repeat(1e5)}1${')'.repeat(1e5)}\ndef f(): pass\n`, 2],
    ['brackets', 'a.ts', `x = ${'('.repeat(1e5)}1${')'.repeat(1e5)}\nfunction f() {}\n`, 2],
    ['brackets left open', 'a.ts', `function f() {}\nx = ${'('.repeat(1e5)}`, 2],
    ['calls', 'a.js', 'f('.repeat(1e4) + ')'.repeat(1e4), 1],
    ['chained calls', 'a.js', `a${'.b()'.repeat(1e4)}`, 1],
    ['functions', 'a.ts', 'function f() {'.repeat(1e3) + '}'.repeat(1e3), 33],
  ])('survives deeply nested %s in %s', async (_, path, source, count) => {
    expect((await parseNodes(path, source)).nodes).toHaveLength(count)
  })

  it(`survives any text (seed ${seed})`, async () => {
    const pieces = fc.constantFrom(
      'def ',
      'class ',
      'f',
      '(',
      ')',
      '{',
      '}',
      ':',
      '\n',
      '  ',
      '"',
      '`',
      '/**',
      '*/',
      '@',
      '=>',
      '=',
      '.',
      '\\',
      '😀',
    )
    const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('a.py', 'a.ts', 'a.tsx', 'a.js'), async (source, path) => {
        const bytes = Buffer.from(source)
        const { nodes } = await parseNodes(path, bytes)
        expect(new Set(nodes.map((node) => node.key)).size).toBe(nodes.length)
        for (const { span, source_hash } of nodes) expect(sha256(nodeSource(bytes, span))).toBe(source_hash)
      }),
      { seed, numRuns: 300 },
    )
  })
})

describe('spans', () => {
  it.each(['shop.py', 'shop.ts', 'shop.cjs', 'view.tsx'])(
    'cut each node of %s out of the file by its bytes',
    async (name) => {
      const bytes = fixtureBytes(name)
      const lines = bytes.toString().split('\n')
      for (const { span, source_hash, type } of (await parseNodes(name, bytes)).nodes) {
        const source = nodeSource(bytes, span)
        expect(sha256(source)).toBe(source_hash)
        if (type === 'file') continue
        expect(source.split('\n')).toHaveLength(span.end_line - span.start_line + 1)
        expect(lines[span.start_line - 1]).toContain(source.split('\n', 1)[0])
      }
    },
  )

  it('hold for text that is not UTF-8', async () => {
    const bytes = Buffer.from('# caf\xe9\ndef f(): "\xe9"\ndef g(): pass\n', 'latin1')
    const { nodes } = await parseNodes('a.py', bytes)
    const g = nodes.find((node) => node.name === 'g')
    expect(g && nodeSource(bytes, g.span)).toBe('def g(): pass')
  })
})

describe('keys', () => {
  const NAMES = ['f', 'g', 'h']
  const definition = fc.record({ name: fc.constantFrom(...NAMES), lines: fc.nat(3), isClass: fc.boolean() })
  const write = {
    'a.py': (it: { name: string; lines: number; isClass: boolean }) =>
      it.isClass
        ? `class ${it.name}:\n    def m(self): pass\n    def m(self): return ${it.lines}\n`
        : `def ${it.name}(a):\n${'    a += 1\n'.repeat(it.lines)}    return a\n`,
    'a.ts': (it: { name: string; lines: number; isClass: boolean }) =>
      it.isClass
        ? `export class ${it.name} { m() {}\n m(a: string) { return ${it.lines} } }\n`
        : `const ${it.name} = () => {\n${'  a()\n'.repeat(it.lines)}}\n`,
  }

  it(`are unique, and stay when other parts of the file change (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(definition, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.constantFrom('a.py' as const, 'a.ts' as const),
        async (definitions, at, path) => {
          const place = at % (definitions.length + 1)
          const texts = definitions.map(write[path])
          const changed = texts.toSpliced(
            place,
            0,
            write[path]({ name: 'other', lines: 2, isClass: false }),
            '\n\n',
          )
          const before = (await parseNodes(path, texts.join(''))).nodes.slice(1)
          const after = (await parseNodes(path, changed.join(''))).nodes.slice(1)
          const identity = (node: (typeof before)[number]) => `${node.key} ${node.source_hash}`
          expect(new Set(before.map((node) => node.key)).size).toBe(before.length)
          expect(after.filter((node) => node.name !== 'other').map(identity)).toEqual(before.map(identity))
        },
      ),
      { seed, numRuns: 100 },
    )
  })

  it('never pass the limit of an id, and stay apart when shortened', () => {
    const [one, other] = ['a', 'b'].map((end) => nodeKey('src/a.ts', `${'x'.repeat(ID_CHARS_MAX)}${end}`))
    expect(one).toHaveLength(ID_CHARS_MAX)
    expect(one).not.toBe(other)
  })
})
