import { expect, test } from 'vitest'
import { parseToml } from '../../src/agents/ruff-config.ts'

test('reads what configuration files use', async () => {
  const text = `\uFEFF# top
title = "a \\"b\\" \\u00e9" # end
'quoted key' = 'raw \\n'
[tool.ruff]
line-length = 1_00
select = [
  "E", # why
  'F',
]
lint.ignore = ["E501"]
[tool.ruff.lint.per-file-ignores]
"tests/*" = ["S101"]
[[source]]
url = """
two
lines"""
[[source]]
inline = { a = 1, b.c = true }
when = 2024-01-02T03:04:05Z
size = -1.5e3
`
  expect(await parseToml(text.replaceAll('\n', '\r\n'))).toEqual({
    title: 'a "b" é',
    'quoted key': 'raw \\n',
    tool: {
      ruff: {
        'line-length': 100,
        select: ['E', 'F'],
        lint: { ignore: ['E501'], 'per-file-ignores': { 'tests/*': ['S101'] } },
      },
    },
    source: [
      { url: 'two\r\nlines' },
      { inline: { a: 1, b: { c: true } }, when: '2024-01-02T03:04:05.000Z', size: -1500 },
    ],
  })
})

test.each([
  ['a = 1\nb =\n', 'line 2: invalid value'],
  ['a = 1\na = 2\n', 'line 2: trying to redefine'],
  ['a = "open\n', 'line 1: control characters'],
  ['[a\n', 'line 1: illegal character in key'],
  ['a = [1 2]\n', 'line 1: expected comma'],
  [`a = ${'['.repeat(100)}`, 'nested'],
  ['[a]\nb = 1\n[a]\nc = 2\n', 'line 3: trying to redefine'],
  ['a = 01\n', 'line 1: illegal leading zero'],
  ['a = 1979-13-01\n', 'line 1: invalid'],
  ['a = { b = 1 }\na.c = 2\n', 'line 2: trying to redefine'],
])('says where %j is wrong, in one line', async (text, message) => {
  const thrown = await parseToml(text).catch((error: Error) => error.message)
  expect(thrown).toContain(message)
  expect(thrown).not.toContain('\n')
})

test('a key named __proto__ is a key', async () => {
  const parsed = await parseToml('[__proto__]\nx = 1\n')
  expect(Object.keys(parsed)).toEqual(['__proto__'])
  expect(({} as { x?: number }).x).toBeUndefined()
})
