import type { Node as Syntax } from 'web-tree-sitter'
import type { Import, Param } from './node.ts'

/** A signature, a docstring's first line, a decorator, a parameter's type or default, in characters. */
const TEXT_CHARS_MAX = 1_000
/** Kept of one node. */
const PARAMS_MAX = 256

export const sourceOf = (syntax: Syntax, source: string): string =>
  source.slice(syntax.startIndex, syntax.endIndex)

/** A part of some syntax on one line; null where it has none. */
export const fieldLine = (syntax: Syntax, name: string, source: string): string | null => {
  const field = syntax.childForFieldName(name)
  return field === null ? null : oneLine(field, source)
}

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
    if (NAMES.has(at.type)) return [sourceOf(at, source), ...parts].join('.')
    if (UNWRAPPED.has(at.type)) {
      at = at.firstNamedChild
      continue
    }
    const member = at.childForFieldName('property') ?? at.childForFieldName('attribute')
    if (member === null) break
    parts.unshift(sourceOf(member, source))
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
    if (params.length === PARAMS_MAX) break
    if (child.type === 'comment' || child.type === 'line_continuation' || child.isError) continue
    const param = read(child, source)
    if (param !== null) params.push(param)
  }
  return params
}

const COMMENTS = ['comment', 'line_continuation']
/** Enough to see that a line is too long, however much of it is white space. */
const LINE_CHARS_READ = 4 * TEXT_CHARS_MAX

/** `…` marks a text that was longer. */
export const cutText = (text: string, charsMax: number = TEXT_CHARS_MAX): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`

/** Quoted text, which stays as it is, and white space; that inside brackets, with a comma before the last one, goes. */
const FOLDED =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|((?<=[([])\s+|,?\s*\n\s*(?=[)\]])|\s+(?=[)\]]))|\s+/gs

/** The source of `syntax` on one line, without comments, from and up to the given parts of it. */
export const oneLine = (
  syntax: Syntax,
  source: string,
  { from = syntax, until = null }: { from?: Syntax; until?: Syntax | null } = {},
): string => {
  const end = until?.startIndex ?? syntax.endIndex
  const endPosition = until?.startPosition ?? syntax.endPosition
  let text = ''
  let at = from.startIndex
  for (const comment of syntax.descendantsOfType(COMMENTS, from.startPosition, endPosition)) {
    if (comment.startIndex < at || comment.startIndex >= end) continue
    text += `${source.slice(at, comment.startIndex)} `
    at = comment.endIndex
    if (text.length > LINE_CHARS_READ) break
  }
  const code = `${text}${source.slice(at, Math.max(at, end))}`.trim().slice(0, LINE_CHARS_READ)
  const line = code.replace(FOLDED, (_, quoted?: string, inside?: string) =>
    quoted === undefined ? (inside === undefined ? ' ' : '') : quoted.replace(/\r?\n/g, '\\n'),
  )
  return cutText(line)
}
