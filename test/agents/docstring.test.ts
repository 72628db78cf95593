import { describe, expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { scripted } from '../../src/model/scripted.ts'
import { put, textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith, runDefault } from './bench.ts'

const agent = await builtIn('docstring')

const SOURCE = `def send_all(items: list[str], retries: int = 3, *rest) -> bool:
    if not items:
        raise ValueError("nothing to send")
    return True


def log(text):
    print(text)


def each(items):
    yield from check(items)


def check(items):
    if items is None:
        raise TypeError("no items")
    return items
`
const projectOf = (text: string = SOURCE) => folderWith({ 'a.py': text })

const GOOD = `Send every item to the shelf.

Args:
    items: What to send.
    retries (int): How often to try again.
    *rest: Ignored.

Returns:
    Whether all were sent.

Raises:
    ValueError: If there is nothing to send.
`

describe('a docstring that agrees with the code', () => {
  test('is written', async () => {
    const workspace = await projectOf()
    const at = { workspace, node: 'a.py' }
    const written = await call(agent, 'write_docstring', { name: 'send_all', docstring: GOOD }, at)
    expect(written).toMatchObject({
      outcome: 'success',
      knowledge_delta: { docstring_action: 'added', undocumented_remaining: 3, next_undocumented: 'log' },
      // Lines below it move in what the packet knows of the file.
      files: [
        { kind: 'lines', path: 'a.py', from: 2, to: 1, text: expect.stringContaining('retries (int)') },
      ],
    })
    const yields =
      'Check one after the other.\n\nYields:\n    Every item.\n\nRaises:\n    TypeError: Without items.'
    await call(agent, 'write_docstring', { name: 'each', docstring: yields }, at)
    expect(await textAt(workspace, 'a.py')).toContain('        retries (int): How often to try again.\n')
  })

  test('is replaced only when it is another', async () => {
    const workspace = await folderWith({ 'a.py': 'def f():\n    """Say hello."""\n' })
    const at = { workspace, node: 'a.py:f', type: 'function' }
    expect((await call(agent, 'write_docstring', { docstring: 'Say hello.' }, at)).outcome).toBe('partial')
    const updated = await call(agent, 'write_docstring', { docstring: 'Tell a story.' }, at)
    expect(updated.knowledge_delta['docstring_action']).toBe('updated')
  })
})

/** What a model gets wrong, and what it is told. */
const BAD: [string, string, string, RegExp][] = [
  [
    'a wrong parameter',
    'send_all',
    GOOD.replace('retries (int)', 'tries'),
    /a parameter tries, and the code has no such one \(it has items, retries, rest\)/,
  ],
  [
    'a wrong parameter in another style',
    'log',
    'Write a line.\n\nParameters\n----------\nline : str\n    The line.',
    /a parameter line, .* \(it has text\)/,
  ],
  ['a wrong parameter by a tag', 'log', 'Write a line.\n\n:param str line: It.', /a parameter line, /],
  [
    'changed code',
    'log',
    'def log(text):\n    """Write a line."""\n    print(text, 1)',
    /holds the code of the definition again/,
  ],
  ['more code', 'log', 'Write a line."""\n    print(1)\n    """', /marks that would end it/],
]

test.each(BAD)('%s is refused with the reason, and nothing is written', async (_, name, docstring, why) => {
  const workspace = await projectOf()
  const written = call(agent, 'write_docstring', { name, docstring }, { workspace, node: 'a.py' })
  await expect(written).rejects.toThrow(why)
  expect(await textAt(workspace, 'a.py')).toBe(SOURCE)
})

test('a docstring that the linter complains of is taken back', async () => {
  const workspace = await projectOf()
  await put(workspace, {
    'pyproject.toml': '[tool.ruff]\nlint.select = ["D", "F"]\nlint.pydocstyle.convention = "google"\n',
  })
  const at = { workspace, node: 'a.py' }
  const write = (docstring: string) => call(agent, 'write_docstring', { name: 'log', docstring }, at)
  await expect(write('Write a line.\nAnd flush it.')).rejects.toThrow(
    /ruff .* reports something new with it: .*D205/,
  )
  expect(await textAt(workspace, 'a.py')).toBe(SOURCE)
  const written = await write('Write a line.')
  expect(written.result).toMatchObject({ linted: expect.stringContaining('ruff') })
})

test('a model that writes bad docstrings is told why each was refused, and the good ones are kept', async () => {
  const pragma = '\n\ndef size(): return x  # type: ignore\n'
  const workspace = await projectOf(SOURCE + pragma)
  const size: (typeof BAD)[number] = ['a moved pragma', 'size', 'Count all.', /one line with a comment/]
  const good = [
    ['', 'send_all', GOOD, /^/],
    ['', 'log', 'Write a line.', /^/],
    ['', 'check', 'Refuse what is missing.', /^/],
  ] as const
  // After five failures in a row a run is stopped.
  const written = [...BAD.slice(0, 3), good[0], ...BAD.slice(3), good[1], size, good[2]]
  const prompts: string[] = []
  const script = scripted([
    ...written.map(([, name, docstring]) => ({ tool: 'write_docstring', args: { name, docstring } })),
    { tool: 'submit_result', args: { summary: 'done', action: 'added' } },
  ])
  const model: Model = {
    ...script,
    answer(request, signal) {
      prompts.push(request.prompt.text)
      return script.answer(request, signal)
    },
  }
  const { stop, calls } = await runDefault(agent, workspace, 'a.py', { model })
  expect(stop.reason).toBe('submitted')
  expect(calls.slice(written.length).map(({ tool }) => tool)).toEqual([
    'submit_result',
    'read_current_docstring',
  ])
  for (const [at, [what, , , why]] of written.entries()) expect(prompts[at + 1], what).toMatch(why)
  const text = await textAt(workspace, 'a.py')
  expect(text.match(/"""/g)).toHaveLength(6)
  expect(text.endsWith(pragma)).toBe(true)
})

test('what is missing is told with its line and signature', async () => {
  const workspace = await projectOf()
  const read = await call(agent, 'read_current_docstring', {}, { workspace, node: 'a.py' })
  expect(read.result).toMatchObject({
    undocumented: [
      {
        name: 'send_all',
        line: 1,
        signature: 'def send_all(items: list[str], retries: int = 3, *rest) -> bool',
      },
      { name: 'log' },
      { name: 'each' },
      { name: 'check' },
    ],
  })
  expect(read.diagnostics).toContain('a.py:7 log has no docstring')
})

test.each([
  [
    'private names and lambdas',
    'a.py',
    'def _p(): pass\nclass _C:\n    def m(self): pass\nf = lambda: 1\ndef g():\n    """Say."""\n    def inner(): pass\n',
  ],
  ['tests', 'test_a.py', 'def test_x(): pass\n'],
  [
    'overload stubs, setters and overrides',
    'a.py',
    'from typing import overload, override\n@overload\ndef f(x: int) -> int: ...\nclass A:\n    """Say."""\n    @y.setter\n    def y(self, v): pass\n    @override\n    def z(self): pass\n',
  ],
  ['names that __all__ leaves out', 'a.py', '__all__ = ["g"]\ndef f(): pass\ndef g():\n    """Say."""\n'],
  [
    'names that are not exported',
    'a.ts',
    'function f() {}\nclass A { m() {} }\n/** Say. */\nexport function g() { f() }\n',
  ],
  [
    'overloads and what is private in a class',
    'a.ts',
    'export function f(x: 1): 1\nexport function f(x: 2): 2\nexport function f(x: any) { return x }\n/** Say. */\nexport class A {\n  private m() {}\n  #n() {}\n  constructor() {}\n}\n',
  ],
])('%s are left alone', async (_, node, text) => {
  const workspace = await folderWith({ [node]: text })
  const read = await call(agent, 'read_current_docstring', {}, { workspace, node })
  expect(read.knowledge_delta).toMatchObject({ undocumented_remaining: 0 })
})

test('private code is documented where that is asked for, an overload stub never', async () => {
  const workspace = await folderWith({
    'a.py': 'def _p():\n    pass\n@overload\ndef f(x: int) -> int: ...\n',
  })
  const write = (node: string, type: string, name?: string) => {
    const args = { docstring: 'Help the others.', ...(name ? { name } : {}) }
    return call(agent, 'write_docstring', args, { workspace, node, type })
  }
  await expect(write('a.py', 'file', '_p')).rejects.toThrow(/_p is private/)
  await expect(write('a.py:f', 'function')).rejects.toThrow(/f is an overload stub/)
  expect((await write('a.py:_p', 'function')).outcome).toBe('success')
})

test.each([
  [
    'a.js',
    'jsdoc',
    'Load a page.\n\n@param {string} path - Where.\n@param {number} [size] - How much.\n@returns {Promise<number>} Bytes.\n@throws {RangeError} Too far.',
  ],
  [
    'a.ts',
    'tsdoc',
    'Load a page.\n\n@param path - Where.\n@param size - How much.\n@returns Bytes.\n@throws RangeError if it is too far.',
  ],
])('%s takes %s', async (node, _, docstring) => {
  const type = node.endsWith('.ts') ? ': string' : ''
  const text = `export async function load(path${type}, size = 1) {\n  if (size > 9) throw new RangeError('far')\n  return size\n}\n`
  const workspace = await folderWith({ [node]: text })
  const at = { workspace, node }
  const wrong = docstring.replace('size', 'count')
  await expect(call(agent, 'write_docstring', { name: 'load', docstring: wrong }, at)).rejects.toThrow(
    /a parameter count/,
  )
  expect((await call(agent, 'write_docstring', { name: 'load', docstring }, at)).outcome).toBe('success')
  expect((await textAt(workspace, node)).endsWith(text)).toBe(true)
})

test('a file that begins very many lists of exports is read in linear time', async () => {
  const functions = Array.from({ length: 10 }, (_, at) => `function f${at}() {}`).join('\n')
  const workspace = await folderWith({
    'a.js': `${functions}\nexport const a = 1\n// ${'export { a, '.repeat(40_000)}`,
  })
  const before = process.cpuUsage()
  await call(agent, 'read_current_docstring', {}, { workspace, node: 'a.js' })
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000)
}, 120_000)
