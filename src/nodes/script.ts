/** TypeScript and JavaScript: one reading for four grammars that differ in few names. */

import type { Node as Syntax } from 'web-tree-sitter'
import { type Interest, wordsIn } from './capture.ts'
import { jsDoc } from './docstring.ts'
import type { Language, Reading, SyntaxPlace } from './language.ts'
import type { LanguageName, NodeType, Param } from './node.ts'
import { readScriptImports } from './script-imports.ts'
import {
  afterDecorators,
  cutText,
  dottedName,
  fieldLine,
  oneLine,
  onlyChild,
  paramsOf,
  sourceOf,
} from './syntax.ts'

/** One part of a qualified name; only a computed member name gets longer, and is cut. */
const NAME_CHARS_MAX = 120

const INTEREST: Interest = {
  structure: wordsIn(`
    function_declaration generator_function_declaration function_signature class_declaration
    abstract_class_declaration class interface_declaration enum_declaration type_alias_declaration
    method_definition method_signature abstract_method_signature field_definition
    public_field_definition pair variable_declarator assignment_expression object object_type class_body
    interface_body internal_module module export_statement lexical_declaration variable_declaration
    ambient_declaration`),
  call: ['call_expression', 'new_expression', 'jsx_opening_element', 'jsx_self_closing_element'],
  import: ['import_statement', 'export_statement', 'variable_declarator', 'call_expression'],
  comment: ['comment'],
  decorator: ['decorator'],
}

const FUNCTIONS = new Set(['arrow_function', 'function_expression', 'generator_function'])
const WRAPPERS = new Set(
  wordsIn('as_expression satisfies_expression parenthesized_expression non_null_expression'),
)

const unwrap = (value: Syntax | null): Syntax | null => {
  let at = value
  while (at !== null && WRAPPERS.has(at.type)) at = at.firstNamedChild
  return at
}

/** An annotation without the colon before it. */
const typeLine = (syntax: Syntax, name: string, source: string): string | null =>
  fieldLine(syntax, name, source)?.replace(/^: ?/, '') ?? null

const readParam = (syntax: Syntax, source: string): Param => ({
  name: fieldLine(syntax, 'pattern', source) ?? fieldLine(syntax, 'left', source) ?? oneLine(syntax, source),
  type: typeLine(syntax, 'type', source),
  default: fieldLine(syntax, 'value', source) ?? fieldLine(syntax, 'right', source),
})

/** A name that is a plain word stands for itself; anything else stays as written, with its quotes or brackets. */
const memberName = (name: Syntax, source: string): string => {
  const text = sourceOf(name, source)
  if (name.type === 'string' && /^[\w$-]+$/.test(text.slice(1, -1))) return text.slice(1, -1)
  return cutText(text.replace(/\s+/g, ' '), NAME_CHARS_MAX)
}

const readCallable = (
  syntax: Syntax,
  callable: Syntax,
  type: NodeType,
  names: string[],
  source: string,
): Reading => {
  const single = callable.childForFieldName('parameter')
  const body = callable.childForFieldName('body')
  return {
    is: 'node',
    type,
    names,
    params:
      single === null
        ? paramsOf(callable.childForFieldName('parameters'), source, readParam)
        : [readParam(single, source)],
    returns: typeLine(callable, 'return_type', source),
    signature: oneLine(syntax, source, { from: afterDecorators(syntax), until: body }).replace(
      /(?: ?=>| ?;)$/,
      '',
    ),
    docstring: null,
    innerId: callable.id,
  }
}

const readClassLike = (syntax: Syntax, classLike: Syntax, names: string[], source: string): Reading => {
  const members = classLike.childForFieldName('body') ?? classLike.childForFieldName('value')
  return {
    is: 'node',
    type: 'class',
    names,
    params: [],
    returns: null,
    signature: oneLine(syntax, source, { from: afterDecorators(syntax), until: members }).replace(/ ?=$/, ''),
    docstring: null,
    innerId: syntax === classLike ? (members?.id ?? null) : classLike.id,
  }
}

/** What a name is bound to: a function, a class, an object whose members are named after it, or nothing of note. */
const readBinding = (
  syntax: Syntax,
  bound: Syntax | null,
  type: NodeType,
  names: string[],
  source: string,
): Reading | null => {
  const value = unwrap(bound)
  if (value === null) return null
  if (FUNCTIONS.has(value.type)) return readCallable(syntax, value, type, names, source)
  if (value.type === 'class') return readClassLike(syntax, value, names, source)
  return value.type === 'object' ? { is: 'scope', names, innerId: value.id } : null
}

const readAssignment = (syntax: Syntax, source: string): Reading | null => {
  const left = syntax.childForFieldName('left')
  const target = dottedName(left, source)
  if (left === null || target === null || target.startsWith('*')) return null
  const parts = target.split('.').filter((part) => part !== 'prototype')
  if (parts[0] === 'module' && parts[1] === 'exports') parts.splice(0, 2)
  else if (parts[0] === 'exports' || parts[0] === 'this') parts.shift()
  const names = parts.length === 0 ? ['module.exports'] : parts
  const type = names.length > 1 || target.startsWith('this.') ? 'method' : 'function'
  return readBinding(syntax, syntax.childForFieldName('right'), type, names, source)
}

const readMember = (syntax: Syntax, { source, inOpenBody }: SyntaxPlace): Reading | null => {
  const name =
    syntax.childForFieldName('name') ??
    syntax.childForFieldName('property') ??
    syntax.childForFieldName('key')
  if (!inOpenBody || name === null) return null
  const names = [memberName(name, source)]
  if (syntax.type.startsWith('method') || syntax.type === 'abstract_method_signature')
    return readCallable(syntax, syntax, 'method', names, source)
  return readBinding(syntax, syntax.childForFieldName('value'), 'method', names, source)
}

const readExport = (syntax: Syntax, source: string): Reading => {
  const value = syntax.childForFieldName('value')
  const bound = value === null ? null : readBinding(syntax, value, 'function', ['default'], source)
  return bound ?? { is: 'wrapper', innerId: onlyChild(syntax) }
}

const readNamed = (syntax: Syntax, source: string): Reading | null => {
  const name = syntax.childForFieldName('name')
  if (name === null || name.isMissing) return null
  const names = [sourceOf(name, source)]
  if (syntax.type.includes('function')) return readCallable(syntax, syntax, 'function', names, source)
  if (syntax.type.endsWith('module'))
    return { is: 'scope', names: names[0]?.split(/ ?\. ?/) ?? [], innerId: null }
  return readClassLike(syntax, syntax, names, source)
}

const readSyntax = (syntax: Syntax, place: SyntaxPlace): Reading | null => {
  if (place.expectedId === syntax.id && (syntax.type === 'class' || FUNCTIONS.has(syntax.type))) return null
  switch (syntax.type) {
    case 'class_body':
    case 'interface_body':
      return { is: 'body', open: true }
    case 'object':
    case 'object_type':
      return { is: 'body', open: place.expectedId === syntax.id }
    case 'export_statement':
      return readExport(syntax, place.source)
    case 'lexical_declaration':
    case 'variable_declaration':
    case 'ambient_declaration':
      return { is: 'wrapper', innerId: onlyChild(syntax) }
    case 'assignment_expression':
      return readAssignment(syntax, place.source)
    case 'variable_declarator': {
      const name = syntax.childForFieldName('name')
      if (name?.type !== 'identifier') return null
      const names = [sourceOf(name, place.source)]
      return readBinding(syntax, syntax.childForFieldName('value'), 'function', names, place.source)
    }
    case 'method_definition':
    case 'method_signature':
    case 'abstract_method_signature':
    case 'public_field_definition':
    case 'field_definition':
    case 'pair':
      return readMember(syntax, place)
    default:
      return readNamed(syntax, place.source)
  }
}

const callee = (syntax: Syntax, source: string): string | null => {
  if (!syntax.type.startsWith('jsx'))
    return dottedName(syntax.childForFieldName('function') ?? syntax.childForFieldName('constructor'), source)
  const element = dottedName(syntax.childForFieldName('name'), source)
  return element === null || /^[a-z][^.]*$/.test(element) ? null : element
}

const scriptLanguage = (name: LanguageName): Language => ({
  name,
  wasm: `tree-sitter-${name}.wasm`,
  interest: INTEREST,
  read: readSyntax,
  callee,
  imports: readScriptImports,
  docComment: jsDoc,
  fileDocstring: () => null,
})

export const javascript = scriptLanguage('javascript')
export const typescript = scriptLanguage('typescript')
export const tsx = scriptLanguage('tsx')
