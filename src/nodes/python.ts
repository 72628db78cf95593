import type { Node as Syntax } from 'web-tree-sitter'
import type { Interest } from './capture.ts'
import { pythonDocstring } from './docstring.ts'
import type { Language, Reading, SyntaxPlace } from './language.ts'
import type { Import, ImportedName, Param } from './node.ts'
import { dottedName, fieldLine, importAt, oneLine, onlyChild, paramsOf, sourceOf } from './syntax.ts'

const INTEREST: Interest = {
  structure: ['function_definition', 'class_definition', 'decorated_definition', 'assignment'],
  call: ['call'],
  import: ['import_statement', 'import_from_statement', 'future_import_statement'],
  comment: ['comment'],
  decorator: ['decorator'],
}

const readParam = (syntax: Syntax, source: string): Param | null => {
  if (syntax.type === 'keyword_separator' || syntax.type === 'positional_separator') return null
  const named =
    syntax.childForFieldName('name') ?? (syntax.type === 'typed_parameter' ? syntax.firstNamedChild : syntax)
  return {
    name: oneLine(named ?? syntax, source),
    type: fieldLine(syntax, 'type', source),
    default: fieldLine(syntax, 'value', source),
  }
}

const withoutColon = (signature: string): string => signature.replace(/ ?:$/, '')

const readDefinition = (syntax: Syntax, { source, inClass }: SyntaxPlace): Reading | null => {
  const name = syntax.childForFieldName('name')
  const body = syntax.childForFieldName('body')
  if (name === null || name.isMissing) return null
  const isClass = syntax.type === 'class_definition'
  return {
    is: 'node',
    type: isClass ? 'class' : inClass ? 'method' : 'function',
    names: [sourceOf(name, source)],
    params: isClass ? [] : paramsOf(syntax.childForFieldName('parameters'), source, readParam),
    returns: fieldLine(syntax, 'return_type', source),
    signature: withoutColon(oneLine(syntax, source, { until: body })),
    docstring: body === null ? null : pythonDocstring(body, source),
    innerId: null,
  }
}

const readAssignment = (syntax: Syntax, { source, inClass }: SyntaxPlace): Reading | null => {
  const left = syntax.childForFieldName('left')
  const right = syntax.childForFieldName('right')
  if (left?.type !== 'identifier' || right?.type !== 'lambda') return null
  return {
    is: 'node',
    type: inClass ? 'method' : 'function',
    names: [sourceOf(left, source)],
    params: paramsOf(right.childForFieldName('parameters'), source, readParam),
    returns: null,
    signature: withoutColon(oneLine(syntax, source, { until: right.childForFieldName('body') })),
    docstring: null,
    innerId: null,
  }
}

const importedName = (syntax: Syntax, source: string): ImportedName => {
  const name = syntax.childForFieldName('name')
  const alias = syntax.childForFieldName('alias')
  return name === null || alias === null
    ? { name: sourceOf(syntax, source), alias: null }
    : { name: sourceOf(name, source), alias: sourceOf(alias, source) }
}

const readImports = (syntax: Syntax, source: string): Import[] => {
  const names = syntax.childrenForFieldName('name').map((name) => importedName(name, source))
  if (syntax.type === 'import_statement')
    return names.map(({ name, alias }) => importAt(syntax, name, { alias }))
  const module = syntax.childForFieldName('module_name')
  if (syntax.namedChildren.some((child) => child.type === 'wildcard_import'))
    names.push({ name: '*', alias: null })
  return [importAt(syntax, module === null ? '__future__' : sourceOf(module, source), { names })]
}

export const python: Language = {
  name: 'python',
  wasm: 'tree-sitter-python.wasm',
  interest: INTEREST,
  read(syntax, place) {
    if (syntax.type === 'decorated_definition') return { is: 'wrapper', innerId: onlyChild(syntax) }
    return syntax.type === 'assignment' ? readAssignment(syntax, place) : readDefinition(syntax, place)
  },
  callee: (syntax, source) => dottedName(syntax.childForFieldName('function'), source),
  imports: readImports,
  docComment: () => null,
  fileDocstring: pythonDocstring,
}
