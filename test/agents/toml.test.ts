import { expect, test } from 'vitest'
import { parseToml } from '../../src/agents/lint/toml.ts'

test('reads what configuration files use', () => {
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
  expect(parseToml(text.replaceAll('\n', '\r\n'))).toEqual({
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
      { url: 'two\nlines' },
      { inline: { a: 1, b: { c: true } }, when: '2024-01-02T03:04:05Z', size: -1500 },
    ],
  })
})

test.each([
  ['a = 1\nb =\n', 'line 2'],
  ['a = 1\na = 2\n', 'a is set twice'],
  ['a = "open\n', 'not closed'],
  ['[a\n', 'expected ]'],
  ['a = [1 2]\n', 'expected , or ]'],
  [`a = ${'['.repeat(100)}`, 'nested deeper'],
])('says where %j is wrong', (text, message) => {
  expect(() => parseToml(text)).toThrow(message)
})

test('a key named __proto__ is a key', () => {
  const parsed = parseToml('[__proto__]\nx = 1\n')
  expect(Object.keys(parsed)).toEqual(['__proto__'])
  expect(({} as { x?: number }).x).toBeUndefined()
})
