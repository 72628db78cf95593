import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withDocstring } from '../../src/agents/docstring/edit.ts'
import { type NodeFile, nodeNamed } from '../../src/nodes/node-file.ts'
import { parseNodes } from '../../src/nodes/parse.ts'
import { SEED, seeded } from '../core/memory/seeded.ts'

async function fileOf(path: string, text: string): Promise<NodeFile> {
  const parsed = await parseNodes(path, text)
  const [node] = parsed.nodes
  if (!node) throw new Error('no nodes')
  return { path, text, bytes: Buffer.from(text), parsed, node }
}

async function documented(path: string, text: string, name: string, words: string): Promise<string> {
  const file = await fileOf(path, text)
  return (await withDocstring(file, nodeNamed(file, name), words)).text
}

describe('Python', () => {
  test.each([
    ['a body of its own', 'def f():\n    return 1\n', 'f', 'def f():\n    """Say."""\n    return 1\n'],
    ['a body on the same line', 'def f(): return 1\n', 'f', 'def f():\n    """Say."""\n    return 1\n'],
    [
      'a method on one line',
      'class A:\n  def f(self): return 1\n',
      'A.f',
      'class A:\n  def f(self):\n      """Say."""\n      return 1\n',
    ],
    [
      'an async function',
      'async def f() -> None:\n\tpass\n',
      'f',
      'async def f() -> None:\n\t"""Say."""\n\tpass\n',
    ],
    ['decorators', '@a\n@b(1)\ndef f():\n    pass\n', 'f', '@a\n@b(1)\ndef f():\n    """Say."""\n    pass\n'],
    ['a class', 'class A:\n    x = 1\n', 'A', 'class A:\n    """Say."""\n\n    x = 1\n'],
    [
      'a comment first, which stays with its code',
      'def f():  # why\n    # more\n    pass\n',
      'f',
      'def f():  # why\n    """Say."""\n    # more\n    pass\n',
    ],
    [
      'a type comment, which belongs to the header',
      'def f(a):\n    # type: (int) -> int\n    return a\n',
      'f',
      'def f(a):\n    # type: (int) -> int\n    """Say."""\n    return a\n',
    ],
    [
      'a header of many lines',
      'def f(\n    a: int,\n) -> dict[str, int]:\n    return {}\n',
      'f',
      'def f(\n    a: int,\n) -> dict[str, int]:\n    """Say."""\n    return {}\n',
    ],
    [
      'a docstring to replace',
      "def f():\n    '''Old\n    words.'''\n    return 1\n",
      'f',
      'def f():\n    """Say."""\n    return 1\n',
    ],
    [
      'characters beyond ASCII before it',
      'x = "😀é"\ndef f():\n    pass\n',
      'f',
      'x = "😀é"\ndef f():\n    """Say."""\n    pass\n',
    ],
    ['Windows line endings', 'def f():\r\n    pass\r\n', 'f', 'def f():\r\n    """Say."""\r\n    pass\r\n'],
    [
      'the file itself',
      '#!/usr/bin/env python\nimport os\n',
      '',
      '#!/usr/bin/env python\n"""Say."""\n\nimport os\n',
    ],
  ])('%s', async (_, before, name, after) => {
    expect(await documented('a.py', before, name, 'Say.')).toBe(after)
  })

  test('several lines take the indentation of the body; empty ones stay empty', async () => {
    const text = await documented(
      'a.py',
      'class A:\n    def f(self):\n        pass\n',
      'A.f',
      'One.\n\n    Two:\n        three',
    )
    expect(text).toBe(
      'class A:\n    def f(self):\n        """One.\n\n        Two:\n            three\n        """\n        pass\n',
    )
  })

  test('quotes that came with the words are not doubled', async () => {
    expect(await documented('a.py', 'def f():\n    pass\n', 'f', '"""Say."""')).toContain('    """Say."""\n')
  })

  test('a lambda has no place for one', async () => {
    await expect(documented('a.py', 'f = lambda x: x\n', 'f', 'Say.')).rejects.toThrow(/not a def or a class/)
  })

  test('a file that does not parse is left alone', async () => {
    await expect(documented('a.py', 'def f():\n    pass\ndef (\n', 'f', 'Say.')).rejects.toThrow(
      /does not parse/,
    )
  })

  test('a pragma on the line of the whole definition is not moved', async () => {
    const text = 'def f(): return x  # type: ignore\n'
    await expect(documented('a.py', text, 'f', 'Say.')).rejects.toThrow(/stands on one line with a comment/)
  })

  test(`whatever the words, the code around them stays (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (words) => {
        fc.pre(words.trim() !== '' && !/[\0\r\u2028\u2029\x0b\x0c\x1c-\x1e\x85]|"""|\*\//.test(words))
        const text = await documented('a.py', 'def f():\n    return 1\n', 'f', words)
        const { parsed, nodes } = await parseNodes('a.py', text)
        expect(parsed).toBe(true)
        expect(nodes.map(({ key }) => key)).toEqual(['a.py', 'a.py:f'])
        expect(text.startsWith('def f():\n')).toBe(true)
        expect(text.endsWith('    return 1\n')).toBe(true)
      }),
      seeded(150),
    )
  })
})

describe('TypeScript and JavaScript', () => {
  test.each([
    ['an export', 'export function f() {}\n', 'f', '/** Say. */\nexport function f() {}\n'],
    ['an arrow function', 'export const f = () => 1\n', 'f', '/** Say. */\nexport const f = () => 1\n'],
    ['a method', 'class A {\n  m() {}\n}\n', 'A.m', 'class A {\n  /** Say. */\n  m() {}\n}\n'],
    ['an interface', 'interface A {}\n', 'A', '/** Say. */\ninterface A {}\n'],
    ['a comment to replace', '/**\n * Old.\n */\nfunction f() {}\n', 'f', '/** Say. */\nfunction f() {}\n'],
    ['decorators', '@a()\nexport class B {}\n', 'B', '/** Say. */\n@a()\nexport class B {}\n'],
  ])('%s', async (_, before, name, after) => {
    expect(await documented('a.ts', before, name, 'Say.')).toBe(after)
  })

  test.each([
    ['eslint', '// eslint-disable-next-line no-useless-constructor'],
    ['TypeScript', '// @ts-expect-error: not yet'],
    ['prettier', '/* prettier-ignore */'],
  ])('what is said to %s about the next line stays directly before it', async (_, directive) => {
    const before = `class A {\n  ${directive}\n  m() {}\n}\n`
    const after = `class A {\n  /** Say. */\n  ${directive}\n  m() {}\n}\n`
    expect(await documented('a.ts', before, 'A.m', 'Say.')).toBe(after)
  })

  test("'use client' and what stands before it stay first", async () => {
    const before = "/* eslint-env browser */\n'use client'\nexport function f() {}\n"
    expect(await documented('a.js', before, 'f', 'Say.')).toBe(
      "/* eslint-env browser */\n'use client'\n/** Say. */\nexport function f() {}\n",
    )
  })

  test('line endings are those of the file', async () => {
    const text = await documented('a.js', 'let a\r\nfunction f() {}\r\n', 'f', 'One.\n\nTwo.')
    expect(text).toBe('let a\r\n/**\r\n * One.\r\n *\r\n * Two.\r\n */\r\nfunction f() {}\r\n')
  })
})
