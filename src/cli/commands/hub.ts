import { askHub } from '../../app/code.ts'
import type { NodeState } from '../../hub/hub.ts'
import type { Edge } from '../../nodes/edges.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe, wrapped } from '../output.ts'

/** 0 when all nodes are known, 1 when one is not. */
async function hubCommand(nodes: readonly string[], options: CommonOptions): Promise<Found> {
  const { answer, unknown } = await askHub(options, nodes)
  return {
    json: answer,
    code: unknown.length === 0 ? 0 : 1,
    lines: () => [
      ...answer.states.map(nodeText),
      ...unknown.map((key) => `${safe(key)}: no such node`),
      answer.note !== undefined && safe(answer.note),
    ],
  }
}

const edgeText = (edges: readonly Edge[] | null): string =>
  edges === null
    ? 'not known yet'
    : edges.map(({ key, certain }) => key + (certain ? '' : ' (by name only)')).join(', ') || 'none'

function nodeText(state: NodeState): string {
  const rows: [string, string][] = [
    ['signature', state.signature],
    [
      'docstring',
      `${state.docstring ?? 'none'}${state.docstring_outdated ? ' (older than the signature)' : ''}`,
    ],
    ['lines', `${state.start_line} to ${state.end_line}`],
    ['callees', state.callees.join(', ')],
    [state.type === 'file' ? 'importers' : 'callers', edgeText(state.callers)],
    ['tests', edgeText(state.tests)],
    ['changed', state.updated_at],
  ]
  const title = `${paint('bold', safe(state.key))} ${state.type}${state.stale ? ' (it does not parse now; this is its last good state)' : ''}`
  const lines = rows.flatMap(([name, text]) =>
    text === '' ? [] : wrapped(`${name.padEnd(10)} ${safe(text)}`, 2, 13),
  )
  return [title, ...lines].join('\n')
}

export default {
  takes: '<nodes...>',
  examples: ['hub src/app.py:App.run', 'hub src/app.py --json'],
  call: hubCommand,
} satisfies CommandWords
