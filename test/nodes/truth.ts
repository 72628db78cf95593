/** Nodes beside what the language's own compiler says of the same file. */

import type { CodeNode } from '../../src/nodes/node.ts'

/** One definition, by either side; params are `name`, `name: type` or `name: type = …`, without white space or quotes. */
export interface Definition {
  qualified_name: string
  type: string
  start_line: number
  end_line: number
  docstring: string | null
  params: string[]
  returns: string | null
}

export interface Comparison {
  definitions: number
  agreed: number
  /** `field` is `missing`, `extra` or the first field that differs. */
  differences: { path: string; name: string; field: string; ours: unknown; theirs: unknown }[]
}

/** Two ways to write the same type or text differ in white space, quotes, brackets and a closing comma only. */
export const squeeze = (text: string): string => text.replace(/[\s'"`()|;,\\]/g, '')

export const paramText = (name: string, type: string | null, hasDefault: boolean): string =>
  squeeze(name) + (type === null ? '' : `:${squeeze(type)}`) + (hasDefault ? '=' : '')

export const ourDefinitions = (nodes: readonly CodeNode[]): Definition[] =>
  nodes
    .filter((node) => node.type !== 'file')
    .map((node) => ({
      qualified_name: node.qualified_name,
      type: node.type,
      start_line: node.span.start_line,
      end_line: node.span.end_line,
      docstring: node.docstring,
      params: node.params.map((param) => paramText(param.name, param.type, param.default !== null)),
      returns: node.returns === null ? null : squeeze(node.returns),
    }))

const FIELDS = ['type', 'start_line', 'end_line', 'docstring', 'params', 'returns'] as const

const comparable = (value: unknown): string =>
  typeof value === 'string' ? squeeze(value) : JSON.stringify(value ?? null)

export const compare = (
  path: string,
  ours: readonly Definition[],
  theirs: readonly Definition[],
  into: Comparison,
) => {
  const mine = new Map(ours.map((definition) => [definition.qualified_name, definition]))
  into.definitions += theirs.length
  for (const truth of theirs) {
    const name = truth.qualified_name
    const found = mine.get(name)
    mine.delete(name)
    const field = found && FIELDS.find((it) => comparable(found[it]) !== comparable(truth[it]))
    if (found !== undefined && field === undefined) into.agreed += 1
    else if (found === undefined || field === undefined)
      into.differences.push({ path, name, field: 'missing', ours: null, theirs: truth.start_line })
    else into.differences.push({ path, name, field, ours: found[field], theirs: truth[field] })
  }
  for (const extra of mine.values()) {
    into.definitions += 1
    into.differences.push({
      path,
      name: extra.qualified_name,
      field: 'extra',
      ours: extra.start_line,
      theirs: null,
    })
  }
}

export const share = ({ agreed, definitions }: Comparison): number =>
  definitions === 0 ? 1 : agreed / definitions
