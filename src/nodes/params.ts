import type { Node as Syntax } from 'web-tree-sitter'
import { NODE_PARAMS_MAX } from '../limits.ts'
import type { Param } from './node.ts'

export const paramsOf = (
  list: Syntax | null,
  source: string,
  read: (syntax: Syntax, source: string) => Param | null,
): Param[] => {
  const params: Param[] = []
  for (const child of list?.namedChildren ?? []) {
    if (params.length === NODE_PARAMS_MAX) break
    if (child.type === 'comment' || child.type === 'line_continuation' || child.isError) continue
    const param = read(child, source)
    if (param !== null) params.push(param)
  }
  return params
}
