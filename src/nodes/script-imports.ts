import type { Node as Syntax } from 'web-tree-sitter'
import type { Import, ImportedName } from './node.ts'
import { textOf } from './syntax.ts'

const stringValue = (string: Syntax | null | undefined, source: string): string | null =>
  string?.type === 'string' ? textOf(string, source).slice(1, -1) : null

const specifier = (syntax: Syntax, source: string): ImportedName => {
  const name = syntax.childForFieldName('name')
  const alias = syntax.childForFieldName('alias')
  return {
    name: name === null ? textOf(syntax, source) : textOf(name, source),
    alias: alias === null ? null : textOf(alias, source),
  }
}

const specifiers = (list: Syntax, source: string): ImportedName[] =>
  list.namedChildren
    .filter((child) => child.type.endsWith('_specifier'))
    .map((child) => specifier(child, source))

interface Bindings {
  alias: string | null
  names: ImportedName[]
}

const readClause = (clause: Syntax, source: string): Bindings => {
  const bindings: Bindings = { alias: null, names: [] }
  for (const part of clause.namedChildren) {
    if (part.type === 'identifier') bindings.names.push({ name: 'default', alias: textOf(part, source) })
    else if (part.type === 'named_imports') bindings.names.push(...specifiers(part, source))
    else if (part.type === 'namespace_import' && part.firstNamedChild !== null)
      bindings.alias = textOf(part.firstNamedChild, source)
  }
  return bindings
}

const readImport = (syntax: Syntax, source: string, line: number): Import[] => {
  for (const child of syntax.namedChildren) {
    const required =
      child.type === 'import_require_clause' ? stringValue(child.childForFieldName('source'), source) : null
    if (required !== null && child.firstNamedChild !== null)
      return [
        { module: required, alias: textOf(child.firstNamedChild, source), names: [], reexport: false, line },
      ]
  }
  const module = stringValue(syntax.childForFieldName('source'), source)
  if (module === null) return []
  const clause = syntax.namedChildren.find((child) => child.type === 'import_clause')
  const bindings = clause === undefined ? { alias: null, names: [] } : readClause(clause, source)
  return [{ module, ...bindings, reexport: false, line }]
}

const readReexport = (syntax: Syntax, source: string, line: number): Import[] => {
  const module = stringValue(syntax.childForFieldName('source'), source)
  if (module === null) return []
  const clause = syntax.namedChildren.find((child) => child.type === 'export_clause')
  const namespace = syntax.namedChildren.find((child) => child.type === 'namespace_export')?.firstNamedChild
  const names =
    clause === undefined
      ? [{ name: '*', alias: namespace ? textOf(namespace, source) : null }]
      : specifiers(clause, source)
  return [{ module, alias: null, names, reexport: true, line }]
}

/** `require('m')` or `import('m')`. */
const loadedModule = (call: Syntax | null, source: string): string | null => {
  const called = call?.type === 'call_expression' ? call.childForFieldName('function') : null
  if (called === null || called === undefined) return null
  if (called.type !== 'import' && textOf(called, source) !== 'require') return null
  return stringValue(call?.childForFieldName('arguments')?.firstNamedChild, source)
}

const patternNames = (pattern: Syntax, source: string): ImportedName[] =>
  pattern.namedChildren.flatMap((part): ImportedName[] => {
    if (part.type === 'shorthand_property_identifier_pattern')
      return [{ name: textOf(part, source), alias: null }]
    const key = part.childForFieldName('key')
    const value = part.childForFieldName('value')
    return key === null || value === null ? [] : [{ name: textOf(key, source), alias: textOf(value, source) }]
  })

const readDeclarator = (syntax: Syntax, source: string, line: number): Import[] => {
  const value = syntax.childForFieldName('value')
  const name = syntax.childForFieldName('name')
  const module = loadedModule(value?.type === 'await_expression' ? value.firstNamedChild : value, source)
  if (module === null || name === null) return []
  const whole = name.type === 'identifier' ? textOf(name, source) : null
  const names = name.type === 'object_pattern' ? patternNames(name, source) : []
  return [{ module, alias: whole, names, reexport: false, line }]
}

export const readScriptImports = (syntax: Syntax, source: string): Import[] => {
  const line = syntax.startPosition.row + 1
  if (syntax.type === 'import_statement') return readImport(syntax, source, line)
  if (syntax.type === 'export_statement') return readReexport(syntax, source, line)
  if (syntax.type === 'variable_declarator') return readDeclarator(syntax, source, line)
  const module = loadedModule(syntax, source)
  return module === null ? [] : [{ module, alias: null, names: [], reexport: false, line }]
}
