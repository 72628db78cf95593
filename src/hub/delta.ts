/** What the packet learns from an answer of the hub. Pure: the same state and answer give the same delta. */

import type { Draft } from '../core/event/event.ts'
import { canonical, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import type { State } from '../core/packet/state.ts'
import type { Edge } from '../nodes/edges.ts'
import { cut } from '../text/cut.ts'
import type { HubAnswer, NodeState } from './hub.ts'

/** What the hub puts into a packet: all of it, a signature, a docstring's first line; callers and tests of a node. */
const CONTEXT_CHARS_MAX = 4_000
const SIGNATURE_CHARS_MAX = 300
const DOCSTRING_CHARS_MAX = 160
const EDGES_SHOWN_MAX = 5

type Known = Pick<State, 'node' | 'node_summary' | 'hub'>

const shownBefore = ({ hub }: Known): Record<string, Json> => hub?.value.context ?? {}

const NOT_THERE = 'not in the code now'

/** Keys at the other end, those that are certain first; `?` marks one that was matched by name only. */
const shownEdges = (edges: readonly Edge[]): string[] => {
  const ordered = [...edges.filter((edge) => edge.certain), ...edges.filter((edge) => !edge.certain)]
  const shown = ordered.slice(0, EDGES_SHOWN_MAX).map((edge) => edge.key + (edge.certain ? '' : ' ?'))
  const more = ordered.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

const shownSignature = ({ signature }: NodeState): string => cut(signature, SIGNATURE_CHARS_MAX)
const shownDocstring = ({ docstring }: NodeState): string => cut(docstring ?? '', DOCSTRING_CHARS_MAX)

/** What a node is, in a line: `def take(n): Takes n. Called by use.py:use. Tested by nothing known.` */
const nodeSummary = (state: NodeState): string => {
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

/** Nothing where nobody knows; and of a file, whose imports may be outside of the code, where there is none. */
const edgesAs = (name: string, { type }: NodeState, edges: readonly Edge[] | null): JsonObject =>
  edges === null || (type === 'file' && edges.length === 0) ? {} : { [name]: shownEdges(edges) }

/** A state as the model sees it. Without lines: they move with every edit above, and tools give them. */
const shortState = (state: NodeState): JsonObject => ({
  ...(state.signature === '' ? {} : { signature: shownSignature(state) }),
  ...(state.docstring === null ? {} : { docstring: shownDocstring(state) }),
  ...(state.docstring_outdated ? { docstring_outdated: true } : {}),
  ...edgesAs(state.type === 'file' ? 'imported_by' : 'callers', state, state.callers),
  ...edgesAs('tests', state, state.tests),
  ...(state.stale ? { stale: true } : {}),
})

/** A missing node is mentioned only where the model has seen it or works on it: not every word like a path is one. */
const contextOf = (known: Known, { states, missing = [], facts = {} }: HubAnswer): Record<string, Json> => {
  const wasShown = (key: string) => key === known.node.id || Object.hasOwn(shownBefore(known), key)
  const entries: [string, Json][] = [
    // A file without docstring, callers and tests is there, and that is all there is to say.
    ...states
      .map((state): [string, Json] => [state.key, shortState(state)])
      .filter(([, short]) => canonical(short) !== '{}'),
    ...missing.filter(wasShown).map((key): [string, Json] => [key, NOT_THERE]),
  ]
  // A fact about a node whose state is known stands with it.
  for (const [key, fact] of Object.entries(facts)) {
    const state = entries.find(([known, value]) => known === key && isObject(value))
    if (state !== undefined && isObject(state[1])) state[1] = { ...state[1], note: fact }
    else entries.push([key, fact])
  }
  let left = CONTEXT_CHARS_MAX
  const fitting = entries.filter(([key, value]) => {
    const size = key.length + canonical(value).length
    if (size > left) return false
    left -= size
    return true
  })
  return Object.fromEntries(fitting)
}

/** Keys whose entry differs, those that are gone from view last. */
const changedKeys = (before: Record<string, Json>, after: Record<string, Json>): string[] => [
  ...Object.entries(after).flatMap(([key, value]) => {
    const known = before[key]
    return known !== undefined && canonical(known) === canonical(value) ? [] : [key]
  }),
  ...Object.keys(before).filter((key) => !Object.hasOwn(after, key)),
]

/** What the agent's own node is, where that is news. Of a file its own code says more than the hub. */
function ownSummary({ node, node_summary }: Known, states: readonly NodeState[]): string | undefined {
  const own = states.find(({ key, type }) => key === node.id && type !== 'file')
  const summary = own && nodeSummary(own)
  return summary === node_summary?.value ? undefined : summary
}

/** The event to record for an answer: its `nodes` are those that changed. Undefined when there is nothing to say. */
export const hubUpdate = (
  known: Known,
  answer: HubAnswer,
): Extract<Draft, { type: 'hub_update' }> | undefined => {
  const { states, missing = [], facts = {}, freshness, source, note } = answer
  const isAnswer = states.length + missing.length + Object.keys(facts).length > 0
  const context = isAnswer ? contextOf(known, answer) : {}
  const nodes = isAnswer ? changedKeys(shownBefore(known), context) : []
  const summary = ownSummary(known, states)
  if (nodes.length === 0 && note === undefined && summary === undefined) return undefined
  const delta = {
    ...(nodes.length === 0 ? {} : { set_hub_context: { context, freshness } }),
    ...(summary === undefined ? {} : { set_node_summary: summary }),
  }
  return {
    type: 'hub_update',
    data: { nodes, source, ...(note === undefined ? {} : { note }) },
    ...(Object.keys(delta).length === 0 ? {} : { delta }),
  }
}
