import type { CodeNode } from './node.ts'

const NAMES_MAX = 12

/**
 * What a node is, from its own code: its signature and the first line of its docstring; of a file, how long it is and
 * what it defines. `nodes` are those of its file.
 */
export function codeSummary(node: CodeNode, nodes: readonly CodeNode[]): string {
  const doc = node.docstring === null ? '' : `: ${node.docstring}`
  if (node.type !== 'file') return `${node.signature}${doc}`
  const top = nodes.filter(({ parent }) => parent === node.key)
  const shown = top.slice(0, NAMES_MAX).map((one) => definition(one, nodes))
  const more = top.length - shown.length
  const defines =
    [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || 'nothing that has a name'
  const count = node.span.end_line
  const lines = `${count} ${count === 1 ? 'line' : 'lines'} at the start`
  const what = `${node.path}, ${lines}${doc}`.replace(/\.$/, '')
  return `${what}. Defines ${defines}.`
}

/** `Stock (put, count)`, `total`. Without lines: they move with the first change. */
function definition({ key, name, type }: CodeNode, nodes: readonly CodeNode[]): string {
  const members = type === 'class' ? nodes.filter(({ parent }) => parent === key) : []
  const names = members.slice(0, NAMES_MAX).map((member) => member.name)
  const more = members.length > names.length ? ', …' : ''
  return `${name}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}`
}
