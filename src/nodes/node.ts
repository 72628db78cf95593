/**
 * A node: a unit of code with a key that is the same everywhere. Nodes are written to disk and shown to models,
 * so their fields are wire format.
 */

import { ID_CHARS_MAX } from '../limits.ts'
import { sha256 } from '../sha256.ts'

export type NodeType = 'file' | 'class' | 'function' | 'method'

export type LanguageName = 'python' | 'typescript' | 'tsx' | 'javascript'

/** Lines count from 1 and are inclusive; bytes are offsets into the file as it is on disk, the end exclusive. */
export interface NodeSpan {
  start_line: number
  end_line: number
  start_byte: number
  end_byte: number
}

/** `name` is as written, with `*`, `**` or `...` in front of one that takes the rest. */
export interface Param {
  name: string
  type: string | null
  default: string | null
}

export interface ImportedName {
  /** `default` for a default import, `*` for everything. */
  name: string
  alias: string | null
}

/** One import as written. `alias` names the whole module (`import a as b`, `import * as b`). */
export interface Import {
  module: string
  alias: string | null
  names: ImportedName[]
  /** True when the names are passed on to importers of this file and not bound in it. */
  reexport: boolean
  line: number
}

export interface CodeNode {
  key: string
  /** Relative to the project root, with `/`. */
  path: string
  language: LanguageName
  type: NodeType
  /** The last part of the qualified name; a file's own name. */
  name: string
  /** What stands after the path in the key, before it is shortened; empty for a file. */
  qualified_name: string
  /** Key of the node around this one; null for a file. */
  parent: string | null
  span: NodeSpan
  /** One line, without decorators and body; empty for a file. */
  signature: string
  params: Param[]
  returns: string | null
  /** First line of the docstring or of the JSDoc comment before the node. */
  docstring: string | null
  /** Of the whole docstring or comment, so that a change below its first line is seen. */
  docstring_hash: string | null
  /** The signature changed since the docstring did: only the hub knows, who saw the node before. */
  docstring_outdated?: true
  decorators: string[]
  source_hash: string
  /** What this node calls, as written, in the order of first use; nested nodes have their own. */
  callees: string[]
  /** All imports of a file, wherever they stand in it; empty for other nodes. */
  imports: Import[]
}

const DIGEST_CHARS = 16

/** The key of a node: its path, then `:` and the qualified name unless it is a file. */
export const nodeKey = (path: string, qualifiedName: string): string => {
  const key = qualifiedName === '' ? path : `${path}:${qualifiedName}`
  if (key.length <= ID_CHARS_MAX) return key
  return `${key.slice(0, ID_CHARS_MAX - DIGEST_CHARS - 1)}~${sha256(key).slice(0, DIGEST_CHARS)}`
}

/** The node's own text, out of the bytes of the file that it was read from. */
export const nodeSource = (file: Uint8Array, span: NodeSpan): string =>
  new TextDecoder().decode(file.subarray(span.start_byte, span.end_byte))
