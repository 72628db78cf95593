import type { Node as Syntax } from 'web-tree-sitter'
import { TwotrackError } from '../../errors.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import { withSyntax } from '../../nodes/parse.ts'

/** Where a node's definition is in the text: offsets in UTF-16 units. */
export interface Definition {
  readonly start: number
  readonly isDefinition: boolean
  /** Python: the body, where the header ends, and the docstring that is there. */
  readonly body: { readonly start: number; readonly headerEnd: number } | null
  readonly docstring: { readonly start: number; readonly end: number } | null
}

export async function definitionOf({ path, bytes, text }: NodeFile, node: CodeNode): Promise<Definition> {
  const found = await withSyntax(path, text, (root, { name }): Definition => {
    if (node.type === 'file') return moduleOf(root)
    const start = indexOf(bytes, node.span.start_byte)
    const end = indexOf(bytes, node.span.end_byte)
    const outer = root.descendantForIndex(start, Math.max(start, end - 1)) ?? root
    const syntax = name === 'python' ? pythonDefinition(outer) : outer
    return {
      start,
      isDefinition: name !== 'python' || syntax.type.endsWith('_definition'),
      body: bodyOf(syntax),
      docstring: stringOf(syntax.childForFieldName('body')),
    }
  })
  if (found) return found
  throw new TwotrackError('limit', `${path} takes too many steps to parse.`)
}

const indexOf = (bytes: Buffer, offset: number): number => bytes.toString('utf8', 0, offset).length

function pythonDefinition(outer: Syntax): Syntax {
  if (outer.type === 'decorated_definition') return outer.childForFieldName('definition') ?? outer
  // A span of one line may belong to the statement list as well.
  return outer.type === 'block' ? (outer.firstNamedChild ?? outer) : outer
}

function bodyOf(syntax: Syntax): Definition['body'] {
  const body = syntax.childForFieldName('body')
  if (body === null) return null
  const colon = syntax.children.findLast((child) => child.type === ':' && child.endIndex <= body.startIndex)
  return colon ? { start: body.startIndex, headerEnd: colon.endIndex } : null
}

/** The text that is the first statement. */
function stringOf(body: Syntax | null): Definition['docstring'] {
  const first = body?.namedChildren.find((child) => child.type !== 'comment')
  const value = first?.type === 'expression_statement' ? first.firstNamedChild : null
  if (value?.type !== 'string' && value?.type !== 'concatenated_string') return null
  return { start: value.startIndex, end: value.endIndex }
}

function moduleOf(root: Syntax): Definition {
  const first = root.namedChildren.find((child) => child.type !== 'comment')
  const start = first?.startIndex ?? root.endIndex
  const body = { start, headerEnd: 0 }
  return { start, isDefinition: true, body, docstring: stringOf(root) }
}
