import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'
import type { ToolContext } from '../../tool/tool.ts'
import { projectGraph } from '../imports.ts'
import { givenParams } from '../signature.ts'
import { definitionOf } from './definition.ts'

const CALLERS_MAX = 5

/** What a docstring can be written from: signature, what the body raises or yields, and who calls it. */
export async function materialOf(context: ToolContext, file: NodeFile, nodes: readonly CodeNode[]) {
  const { importers, texts } = await projectGraph(context)
  const near = [file.path, ...(importers.get(file.path) ?? [])].map(
    (path) => [path, path === file.path ? file.text : (texts.get(path) ?? '')] as const,
  )
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
        callers: callersIn(near, node).slice(0, CALLERS_MAX),
      }
    }),
  )
}

/** Lines of this file and of those that import it that call a name; what a method is called on is not known. */
function callersIn(files: readonly (readonly [path: string, text: string])[], node: CodeNode): string[] {
  const called = new RegExp(
    `(?<!\\b(?:def|class|function)\\s+)(?<![\\w$])${node.name.replace(/[$]/g, '\\$&')}\\s*\\(`,
  )
  return files.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) => {
      const isOwn = path === node.path && at + 1 >= node.span.start_line && at + 1 <= node.span.end_line
      return !isOwn && called.test(line) ? [`${path}:${at + 1} ${line.trim().slice(0, 120)}`] : []
    }),
  )
}

type Material = Awaited<ReturnType<typeof materialOf>>[number]

export const inLines = ({ line, signature, raises, callers }: Material): string =>
  [
    `line ${line}: ${signature}`,
    ...raises.map((one) => `  raises ${one}`),
    ...callers.map((one) => `  called at ${one}`),
  ].join('\n')
