/** What the outline needs to know of a language: which syntax is of interest, and how to read it. */

import type { Node as Syntax } from 'web-tree-sitter'
import type { Interest } from './capture.ts'
import type { Import, LanguageName, NodeType, Param } from './node.ts'

export interface Docstring {
  first_line: string
  /** As written, with its quotes or comment marks. */
  text: string
}

export interface NodeReading {
  is: 'node'
  type: NodeType
  /** Mostly one name; several for `A.prototype.b = function () {}`. */
  names: string[]
  params: Param[]
  returns: string | null
  signature: string
  docstring: Docstring | null
}

/**
 * What some syntax is to the outline:
 * - `node`: a definition
 * - `scope`: only adds names to what is in it (a namespace, an object literal bound to a name)
 * - `wrapper`: the statement around a definition, which lends it its span (`export`, `const`, decorators)
 * - `body`: holds members; they become nodes only where it is open
 *
 * `innerId` is the id of the syntax inside that this reading is about already: the value that a name is bound to, the
 * statement in a wrapper.
 */
export type Reading =
  | (NodeReading & { innerId: number | null })
  | { is: 'scope'; names: string[]; innerId: number | null }
  | { is: 'wrapper'; innerId: number | null }
  | { is: 'body'; open: boolean }

export interface SyntaxPlace {
  source: string
  /** The `innerId` that what stands directly around it gave, null when it gave none. */
  expectedId: number | null
  /** Whether it stands directly in a body whose members become nodes. */
  inOpenBody: boolean
  inClass: boolean
}

export interface Language {
  name: LanguageName
  /** File of the grammar in `@vscode/tree-sitter-wasm`. */
  wasm: string
  interest: Interest
  read(syntax: Syntax, place: SyntaxPlace): Reading | null
  callee(syntax: Syntax, source: string): string | null
  imports(syntax: Syntax, source: string): Import[]
  /** A doc comment, or null when a comment is not one. */
  docComment(text: string): Docstring | null
  fileDocstring(root: Syntax, source: string): Docstring | null
}
