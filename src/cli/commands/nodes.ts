import { nodesUnder } from '../../app/code.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, remark, safe, table } from '../output.ts'

/** Lists the nodes under the paths. 1 when a file could not be parsed: what was recovered of it is listed. */
async function nodesCommand(paths: readonly string[], options: CommonOptions): Promise<Found> {
  const { nodes, errors } = await nodesUnder(options, paths)
  if (!options.json)
    for (const { path, line, message } of errors)
      remark(`${safe(path)}${line === null ? '' : `:${line}`}: ${safe(message)}`)
  const rows = nodes.map(({ key, type, span: { start_line, end_line }, docstring }) => {
    return [key, type, `${start_line}-${end_line}`, docstring ?? '']
  })
  return {
    json: { nodes, errors },
    code: errors.length > 0 ? 1 : 0,
    lines: () => [
      rows.length > 0 && table(['node', 'type', 'lines', 'docstring'], rows),
      paint('dim', count(nodes.length, 'node')),
    ],
  }
}

export default {
  takes: '[paths...]',
  examples: ['nodes src/', 'nodes src/app.py --json'],
  call: nodesCommand,
} satisfies CommandWords
