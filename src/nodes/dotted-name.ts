import type { Node as Syntax } from 'web-tree-sitter'
import { textOf } from './syntax.ts'

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
