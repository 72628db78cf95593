import type { Node as Syntax } from 'web-tree-sitter'
import type { Import, ImportedName } from './node.ts'
import { importAt, sourceOf } from './syntax.ts'

const stringValue = (string: Syntax | null | undefined, source: string): string | null =>
  string?.type === 'string' ? sourceOf(string, source).slice(1, -1) : null

const specifier = (syntax: Syntax, source: string): ImportedName => {
  const name = syntax.childForFieldName('name')
  const alias = syntax.childForFieldName('alias')
  return {
    name: name === null ? sourceOf(syntax, source) : sourceOf(name, source),
    alias: alias === null ? null : sourceOf(alias, source),
  }
}

const specifiers = (list: Syntax, source: string): ImportedName[] =>
  list.namedChildren
    .filter((child) => child.type.endsWith('_specifier'))
    .map((child) => specifier(child, source))

const readClause = (clause: Syntax, source: string): Pick<Import, 'alias' | 'names'> => {
  const names: ImportedName[] = []
  let alias: string | null = null
  for (const part of clause.namedChildren) {
    if (part.type === 'identifier') names.push({ name: 'default', alias: sourceOf(part, source) })
    else if (part.type === 'named_imports') names.push(...specifiers(part, source))
    else if (part.type === 'namespace_import' && part.firstNamedChild !== null)
      alias = sourceOf(part.firstNamedChild, source)
  }
  return { alias, names }
}

const readImport = (syntax: Syntax, source: string): Import[] => {
  for (const child of syntax.namedChildren) {
    const required =
      child.type === 'import_require_clause' ? stringValue(child.childForFieldName('source'), source) : null
    if (required !== null && child.firstNamedChild !== null)
      return [importAt(syntax, required, { alias: sourceOf(child.firstNamedChild, source) })]
  }
  const module = stringValue(syntax.childForFieldName('source'), source)
  if (module === null) return []
  const clause = syntax.namedChildren.find((child) => child.type === 'import_clause')
  return [importAt(syntax, module, clause && readClause(clause, source))]
}

const readReexport = (syntax: Syntax, source: string): Import[] => {
  const module = stringValue(syntax.childForFieldName('source'), source)
  if (module === null) return []
  const clause = syntax.namedChildren.find((child) => child.type === 'export_clause')
  const namespace = syntax.namedChildren.find((child) => child.type === 'namespace_export')?.firstNamedChild
  const names =
    clause === undefined
      ? [{ name: '*', alias: namespace ? sourceOf(namespace, source) : null }]
      : specifiers(clause, source)
  return [importAt(syntax, module, { names, reexport: true })]
}

/** `require('m')` or `import('m')`. */
const loadedModule = (call: Syntax | null, source: string): string | null => {
  const called = call?.type === 'call_expression' ? call.childForFieldName('function') : null
  if (called === null || called === undefined) return null
  if (called.type !== 'import' && sourceOf(called, source) !== 'require') return null
  return stringValue(call?.childForFieldName('arguments')?.firstNamedChild, source)
}

const patternNames = (pattern: Syntax, source: string): ImportedName[] =>
  pattern.namedChildren.flatMap((part): ImportedName[] => {
    if (part.type === 'shorthand_property_identifier_pattern')
      return [{ name: sourceOf(part, source), alias: null }]
    const key = part.childForFieldName('key')
    const value = part.childForFieldName('value')
    return key === null || value === null
      ? []
      : [{ name: sourceOf(key, source), alias: sourceOf(value, source) }]
  })

const readDeclarator = (syntax: Syntax, source: string): Import[] => {
  const value = syntax.childForFieldName('value')
  const name = syntax.childForFieldName('name')
  const module = loadedModule(value?.type === 'await_expression' ? value.firstNamedChild : value, source)
  if (module === null || name === null) return []
  const alias = name.type === 'identifier' ? sourceOf(name, source) : null
  const names = name.type === 'object_pattern' ? patternNames(name, source) : []
  return [importAt(syntax, module, { alias, names })]
}

export const readScriptImports = (syntax: Syntax, source: string): Import[] => {
  if (syntax.type === 'import_statement') return readImport(syntax, source)
  if (syntax.type === 'export_statement') return readReexport(syntax, source)
  if (syntax.type === 'variable_declarator') return readDeclarator(syntax, source)
  const module = loadedModule(syntax, source)
  return module === null ? [] : [importAt(syntax, module)]
}
