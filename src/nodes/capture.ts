/**
 * The syntax of interest in a tree, in the order of the source, outer before inner. A walk with a cursor and not a
 * query: queries take minutes on a tree that is 80,000 levels deep, the walk takes a tenth of a second.
 */

import type { Language as Grammar, Node as Syntax, Tree } from 'web-tree-sitter'

export type Role = 'structure' | 'decision' | 'call' | 'import' | 'comment' | 'decorator' | 'error'

/**
 * Names of syntax by what they are looked at for; `decision_tokens` are keywords and operators. `names` are words that
 * may stand for an import, unless they are in one of the `fields_without_names` (an attribute, a keyword argument).
 */
export type Interest = Readonly<
  Record<Exclude<Role, 'error'> | 'decision_tokens' | 'names' | 'fields_without_names', readonly string[]>
>

export interface Capture {
  role: Role
  syntax: Syntax
}

/** What to look for, by the grammar's numbers of kinds of syntax and of fields. */
export interface RoleTable {
  readonly roles: ReadonlyMap<number, readonly Role[]>
  readonly names: ReadonlySet<number>
  readonly fieldsWithoutNames: ReadonlySet<number>
}

/** Where a word stands that may be a use of an import. */
export interface NamePlace {
  start: number
  end: number
}

export interface Captures {
  captures: Capture[]
  names: NamePlace[]
}

const ROLES = ['structure', 'decision', 'call', 'import', 'comment', 'decorator'] as const

export const roleTable = (grammar: Grammar, interest: Interest): RoleTable => {
  const table = new Map<number, readonly Role[]>()
  const names = new Set<number>()
  for (let id = 0; id < grammar.nodeTypeCount; id++) {
    const name = grammar.nodeTypeForId(id)
    if (name === null) continue
    if (grammar.nodeTypeIsNamed(id) && interest.names.includes(name)) names.add(id)
    const roles: Role[] = grammar.nodeTypeIsNamed(id)
      ? ROLES.filter((role) => interest[role].includes(name))
      : interest.decision_tokens.includes(name)
        ? ['decision']
        : []
    if (roles.length > 0) table.set(id, roles)
  }
  const fields = interest.fields_without_names.flatMap((field) => grammar.fieldIdForName(field) ?? [])
  return { roles: table, names, fieldsWithoutNames: new Set(fields) }
}

export const capture = (tree: Tree, table: RoleTable): Captures => {
  const captures: Capture[] = []
  const names: NamePlace[] = []
  const damaged = tree.rootNode.hasError
  const cursor = tree.walk()
  const look = () => {
    const kind = cursor.nodeTypeId
    for (const role of table.roles.get(kind) ?? []) captures.push({ role, syntax: cursor.currentNode })
    if (table.names.has(kind) && !table.fieldsWithoutNames.has(cursor.currentFieldId))
      names.push({ start: cursor.startIndex, end: cursor.endIndex })
    if (damaged && (cursor.nodeIsMissing || cursor.nodeType === 'ERROR'))
      captures.push({ role: 'error', syntax: cursor.currentNode })
  }
  try {
    for (;;) {
      look()
      if (cursor.gotoFirstChild()) continue
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return { captures, names }
    }
  } finally {
    cursor.delete()
  }
}
