import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wordsOf } from '../../src/agents/docstring/derive.ts'
import { withDocstring } from '../../src/agents/docstring/edit.ts'
import { styleOf } from '../../src/agents/docstring/style.ts'
import { type NodeFile, nodeNamed } from '../../src/nodes/node-file.ts'
import { parseNodes } from '../../src/nodes/parse.ts'
import { SEED, seeded } from '../memory/seeded.ts'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith } from './bench.ts'

const agent = await builtIn('docstring')

async function fileOf(path: string, text: string): Promise<NodeFile> {
  const parsed = await parseNodes(path, text)
  const [node] = parsed.nodes
  if (!node) throw new Error('no nodes')
  return { path, text, bytes: Buffer.from(text), parsed, node }
}

async function documented(path: string, text: string, name: string, words: string): Promise<string> {
  const file = await fileOf(path, text)
  return withDocstring(file, nodeNamed(file, name), words)
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
      'a comment first',
      'def f():  # why\n    # more\n    pass\n',
      'f',
      'def f():  # why\n    # more\n    """Say."""\n    pass\n',
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

  test(`whatever the words, the code around them stays (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (words) => {
        fc.pre(words.trim() !== '' && !/[\0\r\u2028\u2029\x0b\x0c\x1c-\x1e\x85]/.test(words))
        const text = await documented('a.py', 'def f():\n    return 1\n', 'f', words)
        const { parsed, nodes } = await parseNodes('a.py', text)
        expect(parsed).toBe(true)
        expect(nodes.map(({ key }) => key)).toEqual(['a.py', 'a.py:f'])
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

  test('words cannot end the comment', async () => {
    const text = await documented('a.js', 'function f() {}\n', 'f', 'One */ evil()\ntwo')
    expect(text).toBe('/**\n * One *\\/ evil()\n * two\n */\nfunction f() {}\n')
  })
})

describe('write_docstring without words', () => {
  const source =
    'def send_all(items: list[str], retries: int = 3, *rest) -> bool:\n    if not items:\n        raise ValueError("nothing to send")\n    return True\n'

  test.each([
    [
      'google',
      'Args:\n        items (list[str]): The items.\n        retries (int): The retries. Defaults to 3.',
    ],
    ['numpy', 'Parameters\n    ----------\n    items : list[str]\n        The items.'],
    ['sphinx', ':param items: The items.\n    :type items: list[str]'],
  ])('derives one in the style %s', async (style, expected) => {
    const workspace = await folderWith({ 'a.py': source })
    const written = await call(
      agent,
      'write_docstring',
      { name: 'send_all', style },
      { workspace, node: 'a.py' },
    )
    expect(written).toMatchObject({
      outcome: 'success',
      knowledge_delta: { docstring_action: 'added', undocumented_remaining: 0 },
    })
    expect(written.summary).toContain('derived from its signature and types')
    const text = await textAt(workspace, 'a.py')
    expect(text).toContain('"""Send all.')
    expect(text).toContain(expected)
    expect(text).toContain('Nothing to send.')
  })

  test('derives JSDoc with types for JavaScript, TSDoc without them for TypeScript', async () => {
    const workspace = await folderWith({
      'a.js': 'function* pages(size) {\n  yield size\n}\n',
      'b.ts':
        'export async function load(path: string): Promise<number> {\n  throw new RangeError("no such page")\n}\n',
    })
    await call(agent, 'write_docstring', { name: 'pages' }, { workspace, node: 'a.js' })
    await call(agent, 'write_docstring', { name: 'load' }, { workspace, node: 'b.ts' })
    expect(await textAt(workspace, 'a.js')).toContain(' * @param {*} size - The size.\n * @yields {*}\n')
    const typed = await textAt(workspace, 'b.ts')
    expect(typed).toContain(' * @param path - The path.\n * @returns `Promise<number>`\n')
    expect(typed).toContain(' * @throws {RangeError} No such page.')
  })

  test('what a function inside raises or yields is not its own', async () => {
    const workspace = await folderWith({
      'a.py': 'def f():\n    def g():\n        yield 1\n        raise KeyError("x")\n    return g\n',
    })
    const hints = await call(agent, 'read_type_hints', { name: 'f' }, { workspace, node: 'a.py' })
    expect(hints.result).toMatchObject({ yields: false, raises: [] })
  })

  test('a docstring that is there is replaced only when it is another', async () => {
    const workspace = await folderWith({ 'a.py': 'def f():\n    """Say."""\n' })
    const at = { workspace, node: 'a.py:f', type: 'function' }
    expect((await call(agent, 'write_docstring', { docstring: 'Say.' }, at)).outcome).toBe('partial')
    expect(
      (await call(agent, 'write_docstring', { docstring: 'Tell.' }, at)).knowledge_delta['docstring_action'],
    ).toBe('updated')
  })
})

test('private names, tests and lambdas count as documented', async () => {
  const workspace = await folderWith({
    'a.py':
      'def _p(): pass\nclass _C:\n    def m(self): pass\nf = lambda: 1\ndef g():\n    """Say."""\n    def inner(): pass\n',
    'test_a.py': 'def test_x(): pass\n',
  })
  for (const node of ['a.py', 'test_a.py'])
    expect(
      (await call(agent, 'read_current_docstring', {}, { workspace, node })).knowledge_delta,
    ).toMatchObject({ undocumented_remaining: 0 })
})

test.each([
  ['net_price', 'net price'],
  ['netPrice', 'net price'],
  ['HTTPServer', 'HTTP server'],
  ['__init__', 'init'],
  ['*args', 'args'],
  ['_', 'value'],
])('%s in words is %s', (name, words) => {
  expect(wordsOf(name)).toBe(words)
})

test("the style is the file's own, else the project's convention", () => {
  expect(styleOf('python', '    Parameters\n    ----------\n', undefined)).toBe('numpy')
  expect(styleOf('python', '    :param x: y\n', 'google')).toBe('sphinx')
  expect(styleOf('python', 'x = 1\n', 'numpy')).toBe('numpy')
  expect(styleOf('python', '', undefined)).toBe('google')
  expect(styleOf('tsx', '', undefined)).toBe('tsdoc')
})
