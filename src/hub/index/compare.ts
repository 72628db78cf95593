import type { CodeNode } from '../../nodes/node.ts'
import { sha256 } from '../../sha256.ts'

/**
 * A digest of all that other files' links can depend on: names, kinds, what is passed on. While it stays the same, an
 * edit touches the links of its own file only.
 */
export const shapeOf = (nodes: Iterable<CodeNode>): string =>
  sha256(
    JSON.stringify(
      [...nodes].map(({ key, qualified_name, name, type, parent, imports }) => [
        key,
        qualified_name,
        name,
        type,
        parent,
        imports.map(({ module, alias, names, reexport }) => [module, alias, names, reexport]),
      ]),
    ),
  )

/** Whether the docstring is behind: the signature changed after it did. */
const isOutdated = (before: CodeNode, after: CodeNode): boolean =>
  after.docstring_hash !== null &&
  after.docstring_hash === before.docstring_hash &&
  (before.docstring_outdated === true || after.signature !== before.signature)

/** The nodes of a file as they are now, with what only a comparison with the earlier ones can show. */
export const withPast = (
  before: ReadonlyMap<string, CodeNode> | undefined,
  nodes: readonly CodeNode[],
): CodeNode[] =>
  nodes.map((node) => {
    const known = before?.get(node.qualified_name)
    return known !== undefined && isOutdated(known, node) ? { ...node, docstring_outdated: true } : node
  })
