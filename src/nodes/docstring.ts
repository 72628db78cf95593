import type { Node as Syntax } from 'web-tree-sitter'
import type { Docstring } from './language.ts'
import { cutText } from './syntax.ts'

const firstTextLine = (text: string): string => {
  for (const line of text.split('\n')) if (line.trim() !== '') return cutText(line.trim())
  return ''
}

/** What a first line can hold: other escapes are not met in docstrings, and stay as they are written. */
const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

const unescapePython = (text: string): string =>
  text.replace(/\\(.)/gs, (whole, escaped: string) => ESCAPED[escaped] ?? whole)

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
  return { first_line: firstTextLine(value), text: source.slice(written.startIndex, written.endIndex) }
}

/** A block comment that opens with exactly two stars; its first line, be it a tag, without the stars in front. */
export const jsDoc = (comment: string): Docstring | null => {
  if (!comment.startsWith('/**') || comment.startsWith('/***') || comment === '/**/') return null
  const lines = comment.slice(3, -2).split('\n')
  const plain = lines.map((line, index) => (index === 0 ? line : line.trimStart().replace(/^\*/, '')))
  return { first_line: firstTextLine(plain.join('\n')), text: comment }
}
