import { plural } from '../../../text/lines.ts'
import type { Packet } from '../../packet/packet.ts'
import type { FileText } from '../../packet/state.ts'
import type { Desk } from './part.ts'
import { withoutFolders } from './short-paths.ts'

const RANGES_PER_FILE = 3

/** Says what a packet does not show, and where to find it. */
export function leftOut({ state, limit }: Desk, shown: Packet): string[] {
  const { actions, forgotten, knowledge, knowledge_forgotten } = state
  const visible = new Set([...shown.earlier, ...shown.recent_actions].map(({ ref }) => ref))
  const steps = actions.filter(({ ref }) => !visible.has(ref))
  const first = forgotten?.first ?? steps[0]?.ref
  const last = steps.at(-1)?.ref ?? forgotten?.last
  const facts = Object.keys(knowledge).length + knowledge_forgotten
  const paths = new Set(shown.files.map(({ path }) => path))
  // What the newest call wrote stands in it.
  const newest = actions.at(-1)?.ref
  const files = Object.values(state.files).filter(({ path, ref }) => ref !== newest && !paths.has(path))
  const counts: [count: number, what: string, where?: string][] = [
    [steps.length + (forgotten?.count ?? 0), 'earlier step', ` (#${[...new Set([first, last])].join('-#')})`],
    [facts - Object.keys(shown.knowledge).length, 'known fact'],
    [state.diagnostics.length - shown.diagnostics.length, 'open problem'],
    [state.failed_attempts.length - shown.failed_attempts.length, 'failed attempt'],
    [state.plan.length - shown.plan.length, 'plan item'],
    [state.changed.length - shown.changed.length, 'changed file'],
    [files.length, 'file', placesIn(files, limit >> 8)],
  ]
  return counts.flatMap(([count, what, where = '']) => (count > 0 ? plural(count, what) + where : []))
}

/** The latest of some files, with the lines of them that are known. */
function placesIn(files: readonly FileText[], max: number): string {
  const latest = files.toReversed().slice(0, max).map(placeIn)
  if (files.length > max) latest.push('…')
  return max === 0 ? '' : `: ${latest.join('; ')}`
}

function placeIn({ path, regions }: FileText): string {
  let end = -1
  const ranges: string[] = []
  for (const { from, lines } of regions) {
    if (from === 0) continue
    const first = from === end + 1 ? ranges.pop()?.split('-', 1)[0] : from
    end = from + lines.length - 1
    ranges.push(`${first}-${end}`)
  }
  return `${withoutFolders(path)} ${ranges.slice(0, RANGES_PER_FILE).join(', ')}`.trimEnd()
}
