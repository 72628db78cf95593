import {
  HUB_SHOWN_DOCSTRING_CHARS_MAX,
  HUB_SHOWN_EDGES_MAX,
  HUB_SHOWN_SIGNATURE_CHARS_MAX,
} from '../limits.ts'
import type { Edge } from '../nodes/edges.ts'
import { cut } from '../text/cut.ts'
import type { NodeState } from './hub.ts'

/** Keys at the other end, those that are certain first; `?` marks one that was matched by name only. */
export const shownEdges = (edges: readonly Edge[]): string[] => {
  const ordered = [...edges.filter((edge) => edge.certain), ...edges.filter((edge) => !edge.certain)]
  const shown = ordered.slice(0, HUB_SHOWN_EDGES_MAX).map((edge) => edge.key + (edge.certain ? '' : ' ?'))
  const more = ordered.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

export const shownSignature = ({ signature }: NodeState): string =>
  cut(signature, HUB_SHOWN_SIGNATURE_CHARS_MAX)
export const shownDocstring = ({ docstring }: NodeState): string =>
  cut(docstring ?? '', HUB_SHOWN_DOCSTRING_CHARS_MAX)

/** What a node is, in a line: `def take(n): Takes n. Called by use.py:use. Tested by nothing known.` */
export const nodeSummary = (state: NodeState): string => {
  const edges = (verb: string, found: readonly Edge[] | null) =>
    found === null ? [] : [`${verb} by ${shownEdges(found).join(', ') || 'nothing known'}.`]
  const outdated = state.docstring_outdated ? ' (older than the signature)' : ''
  const what = [shownSignature(state) || `${state.type} ${state.key}`, shownDocstring(state) + outdated]
  return [
    what
      .filter((text) => text !== '')
      .join(': ')
      .replace(/[^.!?…]$/, '$&.'),
    ...edges('Called', state.callers),
    ...edges('Tested', state.tests),
  ].join(' ')
}
