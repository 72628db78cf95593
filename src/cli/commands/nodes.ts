import { resolve } from 'node:path'
import { findNodes } from '../../nodes/find.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type CommonOptions, configFor } from '../context.ts'
import { count, paint, print, printJson, remark, safe, table } from '../output.ts'

/** Lists the nodes under the paths. 1 when a file could not be parsed: what was recovered of it is listed. */
export async function nodesCommand(paths: readonly string[], options: CommonOptions): Promise<number> {
  const { root } = configFor(options)
  const given = paths.length === 0 ? ['.'] : paths.map((path) => resolve(path))
  const nodes: CodeNode[] = []
  const errors: { path: string; line: number | null; message: string }[] = []
  for await (const file of findNodes(root, given)) {
    nodes.push(...file.nodes)
    errors.push(...file.errors.map(({ line, message }) => ({ path: file.path, line, message })))
  }
  if (options.json) printJson({ nodes, errors })
  else {
    const rows = nodes.map(({ key, type, span: { start_line, end_line }, complexity, docstring }) => {
      return [key, type, `${start_line}-${end_line}`, complexity, docstring ?? '']
    })
    if (rows.length > 0) print(table(['node', 'type', 'lines', 'complexity', 'docstring'], rows))
    print(paint('dim', count(nodes.length, 'node')))
    for (const { path, line, message } of errors)
      remark(`${safe(path)}${line === null ? '' : `:${line}`}: ${safe(message)}`)
  }
  return errors.length > 0 ? 1 : 0
}
