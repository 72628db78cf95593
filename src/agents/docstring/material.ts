import type { CodeGraph } from '../../nodes/edges.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import { filesOf, type ToolContext } from '../../tool/tool.ts'
import { codeNow } from '../code.ts'
import { givenParams } from '../signature.ts'
import { definitionOf } from './definition.ts'

const CALLERS_MAX = 5

/** What a docstring can be written from: signature, what the body raises or yields, and who calls it. */
export async function materialOf(context: ToolContext, file: NodeFile, nodes: readonly CodeNode[]) {
  const code = await codeNow(context)
  return Promise.all(
    nodes.map(async (node) => {
      const { yields, raises } = await definitionOf(file, node)
      return {
        name: node.qualified_name,
        line: node.span.start_line,
        signature: node.signature,
        params: givenParams(node).map(({ name, type, default: value }) => ({ name, type, default: value })),
        returns: node.returns,
        yields,
        raises: raises.map(({ name, message }) => (message === null ? name : `${name}: ${message}`)),
        callers: await callersOf(context, code, node),
      }
    }),
  )
}

/** The first line of each caller that names the node; where it has another name there, the caller's own first line. */
async function callersOf(context: ToolContext, code: CodeGraph, node: CodeNode): Promise<string[]> {
  const name = new RegExp(`(?<![\\w$])${node.name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`)
  const callers = code.callersOf(node.key).toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const lines = callers.slice(0, CALLERS_MAX).map(async ({ key, path }) => {
    const caller = code
      .file(path)
      ?.named.values()
      .find((one) => one.key === key)
    const text = await filesOf(context)
      .read(path)
      .catch(() => undefined)
    if (caller === undefined || text === undefined) return []
    const { start_line, end_line } = caller.span
    const own = text
      .toString()
      .split('\n')
      .slice(start_line - 1, end_line)
    const isCall = (line: string) => name.test(line) && !/^\s*(?:import|from)\b/.test(line)
    const at = Math.max(0, own.findIndex(isCall))
    return [`${path}:${start_line + at} ${(own[at] ?? '').trim().slice(0, 120)}`]
  })
  return (await Promise.all(lines)).flat()
}

type Material = Awaited<ReturnType<typeof materialOf>>[number]

export const inLines = ({ line, signature, raises, callers }: Material): string =>
  [
    `line ${line}: ${signature}`,
    ...raises.map((one) => `  raises ${one}`),
    ...callers.map((one) => `  called at ${one}`),
  ].join('\n')
