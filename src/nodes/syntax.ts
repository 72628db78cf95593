import type { Node as Syntax } from 'web-tree-sitter'

export const textOf = (syntax: Syntax, source: string): string =>
  source.slice(syntax.startIndex, syntax.endIndex)

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
