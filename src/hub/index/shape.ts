import type { CodeNode } from '../../nodes/node.ts'
import { sha256 } from '../../sha256.ts'

/**
 * A digest of all that other files' links can depend on: names, kinds, what is passed on. While it stays the same, an
 * edit touches the links of its own file only.
 */
export const shapeOf = (nodes: readonly CodeNode[]): string =>
  sha256(
    JSON.stringify(
      nodes.map(({ key, qualified_name, name, type, parent, imports }) => [
        key,
        qualified_name,
        name,
        type,
        parent,
        imports.map(({ module, alias, names, reexport }) => [module, alias, names, reexport]),
      ]),
    ),
  )
