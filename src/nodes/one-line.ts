import type { Node as Syntax } from 'web-tree-sitter'
import { NODE_TEXT_CHARS_MAX } from '../limits.ts'

const LITERALS = ['comment', 'line_continuation', 'string', 'template_string', 'regex']
const NEEDS_FOLDING = /[\n\r\t#/]| {2}/

/** `…` marks a text that was longer. */
export const cutText = (text: string, charsMax: number = NODE_TEXT_CHARS_MAX): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`

/** Collects code on one line, as a person would write it: no space inside brackets, no comma before a closing one. */
const lineOf = () => {
  let line = ''
  let gap = ''
  const separate = () => {
    if (gap !== '' && line !== '' && !line.endsWith('(') && !line.endsWith('[')) line += ' '
    gap = ''
  }
  return {
    code(text: string) {
      for (const character of text) {
        if (line.length > NODE_TEXT_CHARS_MAX) return
        if (/\s/.test(character)) {
          gap += character
          continue
        }
        if (character === ')' || character === ']') {
          if (gap.includes('\n') && line.endsWith(',')) line = line.slice(0, -1)
          gap = ''
        }
        separate()
        line += character
      }
    },
    literal(text: string) {
      separate()
      line += text.slice(0, NODE_TEXT_CHARS_MAX).replaceAll('\r', '').replaceAll('\n', '\\n')
    },
    comment() {
      gap += ' '
    },
    text: () => cutText(line),
  }
}

/** The source of `syntax` on one line, without comments, from and up to the given parts of it. */
export const oneLine = (
  syntax: Syntax,
  source: string,
  { from = syntax, until = null }: { from?: Syntax; until?: Syntax | null } = {},
): string => {
  const end = until?.startIndex ?? syntax.endIndex
  const text = source.slice(from.startIndex, end)
  if (!NEEDS_FOLDING.test(text)) return cutText(text.trim())
  const line = lineOf()
  let at = from.startIndex
  const endPosition = until?.startPosition ?? syntax.endPosition
  for (const literal of syntax.descendantsOfType(LITERALS, from.startPosition, endPosition)) {
    if (literal.startIndex < at) continue
    if (literal.startIndex >= end) break
    line.code(source.slice(at, literal.startIndex))
    at = Math.min(literal.endIndex, end)
    if (literal.type === 'comment' || literal.type === 'line_continuation') line.comment()
    else line.literal(source.slice(literal.startIndex, at))
  }
  line.code(source.slice(at, end))
  return line.text()
}
