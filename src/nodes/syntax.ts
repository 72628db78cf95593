import type { Node as Syntax } from 'web-tree-sitter'
import { NODE_PARAMS_MAX, NODE_TEXT_CHARS_MAX } from '../limits.ts'
import type { Import, Param } from './node.ts'

export const textOf = (syntax: Syntax, source: string): string =>
  source.slice(syntax.startIndex, syntax.endIndex)

/** A part of some syntax on one line; null where it has none. */
export const fieldLine = (syntax: Syntax, name: string, source: string): string | null => {
  const field = syntax.childForFieldName(name)
  return field === null ? null : oneLine(field, source)
}

/** An import with what it binds. */
export const importAt = (
  syntax: Syntax,
  module: string,
  bound: Partial<Pick<Import, 'alias' | 'names' | 'reexport'>> = {},
): Import => ({
  module,
  alias: null,
  names: [],
  reexport: false,
  line: syntax.startPosition.row + 1,
  ...bound,
})

const isTrivia = (syntax: Syntax): boolean => syntax.type === 'comment' || syntax.type === 'decorator'

/** The id of the one thing that a statement is about, null when it is about several. */
export const onlyChild = (statement: Syntax): number | null => {
  const children = statement.namedChildren.filter((child) => !isTrivia(child))
  return children.length === 1 ? (children[0]?.id ?? null) : null
}

/** The first part of a definition that is not a decorator. */
export const afterDecorators = (definition: Syntax): Syntax => {
  const first = definition.firstChild
  if (first === null || !isTrivia(first)) return definition
  return definition.children.find((child) => !isTrivia(child)) ?? definition
}

const PARTS_MAX = 8
const NAMES = new Set(['identifier', 'this', 'super', 'property_identifier', 'private_property_identifier'])
const UNWRAPPED = new Set(['non_null_expression', 'parenthesized_expression', 'await_expression'])

/**
 * What is called, as a dotted name: `f`, `self.f`, `a.b.c`. A member of anything else than names is `*.c`, so that
 * a chain of calls takes linear time; null when what is called has no name at all.
 */
export const dottedName = (called: Syntax | null, source: string): string | null => {
  const parts: string[] = []
  let at = called
  while (at !== null && parts.length < PARTS_MAX) {
    if (NAMES.has(at.type)) return [textOf(at, source), ...parts].join('.')
    if (UNWRAPPED.has(at.type)) {
      at = at.firstNamedChild
      continue
    }
    const member = at.childForFieldName('property') ?? at.childForFieldName('attribute')
    if (member === null) break
    parts.unshift(textOf(member, source))
    at = at.childForFieldName('object')
  }
  return parts.length === 0 ? null : ['*', ...parts].join('.')
}

export const paramsOf = (
  list: Syntax | null,
  source: string,
  read: (syntax: Syntax, source: string) => Param | null,
): Param[] => {
  const params: Param[] = []
  for (const child of list?.namedChildren ?? []) {
    if (params.length === NODE_PARAMS_MAX) break
    if (child.type === 'comment' || child.type === 'line_continuation' || child.isError) continue
    const param = read(child, source)
    if (param !== null) params.push(param)
  }
  return params
}

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
