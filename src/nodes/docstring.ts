import type { Node as Syntax } from 'web-tree-sitter'
import type { Docstring } from './language.ts'
import { cutText } from './one-line.ts'

const firstLine = (text: string): string => {
  for (const line of text.split('\n')) if (line.trim() !== '') return cutText(line.trim())
  return ''
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}

const HEX_ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))/gs

const unescapePython = (text: string): string =>
  text.replace(HEX_ESCAPE, (whole, x, u, long, octal, other) => {
    if (other !== undefined) return SIMPLE_ESCAPES[other] ?? whole
    const code = octal === undefined ? Number.parseInt(x ?? u ?? long, 16) : Number.parseInt(octal, 8)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const stringValue = (string: Syntax, source: string): string | null => {
  const open = string.firstChild
  const close = string.lastChild
  if (open?.type !== 'string_start' || close?.type !== 'string_end') return null
  const prefix = source.slice(open.startIndex, open.endIndex).toLowerCase()
  if (prefix.includes('f') || prefix.includes('b') || prefix.includes('t')) return null
  const text = source.slice(open.endIndex, close.startIndex).replaceAll('\r\n', '\n')
  return prefix.includes('r') ? text : unescapePython(text)
}

/** Python: the string that is the first statement of a module, class or function. */
export const pythonDocstring = (body: Syntax, source: string): Docstring | null => {
  let statement = body.firstNamedChild
  while (statement?.type === 'comment') statement = statement.nextNamedSibling
  const written = statement?.type === 'expression_statement' ? statement.firstNamedChild : null
  if (statement?.namedChildCount !== 1 || written === null) return null
  const strings =
    written.type === 'concatenated_string'
      ? written.namedChildren
      : written.type === 'string'
        ? [written]
        : []
  let value = ''
  for (const string of strings) {
    if (string.type === 'comment') continue
    const part = string.type === 'string' ? stringValue(string, source) : null
    if (part === null) return null
    value += part
  }
  if (strings.length === 0) return null
  return { first_line: firstLine(value), text: source.slice(written.startIndex, written.endIndex) }
}

/** A block comment that opens with exactly two stars; its first line, be it a tag, without the stars in front. */
export const jsDoc = (comment: string): Docstring | null => {
  if (!comment.startsWith('/**') || comment.startsWith('/***') || comment === '/**/') return null
  const lines = comment.slice(3, -2).split('\n')
  const plain = lines.map((line, index) => (index === 0 ? line : line.trimStart().replace(/^\*/, '')))
  return { first_line: firstLine(plain.join('\n')), text: comment }
}
