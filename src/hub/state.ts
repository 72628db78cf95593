import { HUB_EDGES_MAX } from '../limits.ts'
import { type Caller, edgesOf } from '../nodes/edges.ts'
import type { CodeNode } from '../nodes/node.ts'
import type { NodeState } from './hub.ts'
import type { History } from './index/rows.ts'

/** What is known of the file that a node is in. */
export interface KnownFile {
  hash: string
  stale: boolean
}

/** `callersOf` is null when too little of the project was read to know callers. */
export const stateOf = (
  node: CodeNode,
  file: KnownFile,
  history: History,
  callersOf: ((key: string) => readonly Caller[]) | null,
): NodeState => {
  const edges = callersOf === null ? null : edgesOf(node, callersOf)
  return {
    key: node.key,
    path: node.path,
    type: node.type,
    language: node.language,
    signature: node.signature,
    docstring: node.docstring,
    docstring_outdated: history.docstring_outdated,
    decorators: node.decorators,
    imports: node.imports_used,
    callees: node.callees,
    callers: edges?.callers.slice(0, HUB_EDGES_MAX) ?? null,
    tests: edges?.tests.slice(0, HUB_EDGES_MAX) ?? null,
    start_line: node.span.start_line,
    end_line: node.span.end_line,
    line_count: node.line_count,
    complexity: node.complexity,
    has_type_hints: node.has_type_hints,
    source_hash: node.source_hash,
    file_hash: file.hash,
    stale: file.stale,
    version: history.version,
    update_source: history.update_source,
    updated_at: history.updated_at,
  }
}
