import type { EventFor } from '../../core/event/event.ts'
import type { Json } from '../../core/event/json.ts'
import type { Packet } from '../../core/packet/packet.ts'
import type { Action, Sourced } from '../../core/packet/state.ts'
import { valuesIn } from '../../text/values.ts'
import type { History } from '../history.ts'
import { definitionOrigins, fileOrigins, namedAt } from './file-origin.ts'
import { type Asked, itemOf, type Leaf, type Origin, pointerOf, valueAt } from './leaves.ts'

type Section = (asked: Asked) => Origin[]

const START = 1
const fromStart =
  (field: (path: readonly string[]) => string): Section =>
  ({ leaf }) => [{ seq: START, field: field(leaf.path) }]

/** Where each section of a packet comes from. */
const sections: { readonly [K in keyof Packet]: Section } = {
  packet_version: fromStart(() => '/data/settings/view'),
  agent_id: fromStart(() => '/agent_id'),
  operation: fromStart(() => '/operation'),
  goal: fromStart(() => '/data/goal'),
  node: fromStart((path) => pointerOf(['data', ...path])),
  constraints: fromStart((path) => pointerOf(['data', ...path])),
  turn: ({ history, leaf }) => {
    const first = history.events.find(({ turn }) => turn === leaf.value)
    return first ? [{ seq: first.seq, field: '/turn' }] : []
  },
  person: (asked) => spokenOrigins(asked),
  thoughts: (asked) => spokenOrigins(asked),
  node_summary: ({ end, history }) => {
    const ref = end.state.node_summary?.ref
    const field = ref && history.event(ref)?.delta?.set_node_summary ? '/delta/set_node_summary' : undefined
    return ref === undefined ? [] : [{ seq: ref, field: field ?? '/data/node_summary' }]
  },
  state_summary: ({ end }) => ofSourced(end.state.state_summary, '/delta/set_state_summary'),
  last_error: ({ end }) => ofSourced(end.state.last_error, '/delta/set_error'),
  focus: ({ end, leaf }) =>
    leaf.path[1] === 'ref'
      ? ofSourced(end.state.focus, '/seq')
      : ofSourced(end.state.focus, pointerOf(['delta', 'set_focus', ...leaf.path.slice(1)])),
  plan: planOrigins,
  earlier: stepOrigins,
  recent_actions: stepOrigins,
  changed: changedOrigins,
  index: seenOrigins,
  knowledge: knowledgeOrigins,
  hub_context: ({ end, leaf }) =>
    ofSourced(end.state.hub, pointerOf(['delta', 'set_hub_context', 'context', ...leaf.path.slice(1)])),
  hub_freshness: ({ end }) => ofSourced(end.state.hub, '/delta/set_hub_context/freshness'),
  extensions: ({ end, leaf }) =>
    ofSourced(
      end.state.extensions[leaf.path[1] ?? ''] ?? null,
      pointerOf(['delta', 'set_extension', ...leaf.path.slice(1)]),
    ),
  files: fileOrigins,
  diagnostics: ({ end, leaf, history }) =>
    lineOrigins(end.state.diagnostics, leaf, history, 'add_diagnostics'),
  failed_attempts: ({ end, leaf, history }) =>
    lineOrigins(end.state.failed_attempts, leaf, history, 'add_failed_attempt'),
  error_count: ({ end, history }) =>
    history.events
      .filter(({ seq, delta }) => seq <= end.seq && typeof delta?.set_error === 'string')
      .map(({ seq }) => ({ seq, field: '/delta/set_error', counted: true })),
  candidate_actions: candidateOrigins,
  omitted: leftOutOrigins,
}

const isSection = (name: string | undefined): name is keyof Packet =>
  name !== undefined && Object.hasOwn(sections, name)

/** The fields of events that a leaf comes from; none for a value that nothing has set. */
export function originsOf(asked: Asked): Origin[] {
  const [name] = asked.leaf.path
  return isSection(name) ? sections[name](asked) : []
}

/** An entry of a list in the delta of an event, or something within it. */
const inDelta = (seq: number, list: string, place: number, ...rest: readonly string[]): Origin[] => [
  { seq, field: pointerOf(['delta', list, String(Math.max(0, place)), ...rest]) },
]

const ofSourced = (sourced: Sourced<unknown> | null, field: string): Origin[] =>
  sourced === null ? [] : [{ seq: sourced.ref, field }]

const refOf = (item: Json | undefined): number => {
  const ref = valueAt(item ?? null, ['ref'])
  return typeof ref === 'number' ? ref : 0
}

/** The fields that every entry takes from its event's header. */
const ofHeader = (name: string | undefined): string | undefined =>
  name === 'ref' ? '/seq' : name === 'turn' || name === 'source_turn' ? '/turn' : undefined

function spokenOrigins(asked: Asked): Origin[] {
  const seq = refOf(itemOf(asked))
  const type = asked.history.event(seq)?.type
  return [
    { seq, field: ofHeader(asked.leaf.path[2]) ?? (type === 'correction' ? '/data/note' : '/data/text') },
  ]
}

function stepOrigins(asked: Asked): Origin[] {
  const { leaf, end, history } = asked
  const item = itemOf(asked)
  const seq = refOf(item)
  const field = leaf.path[2]
  const header = ofHeader(field)
  if (header) return [{ seq, field: header }]
  const event = history.event(seq)
  // A line of the model's own words has no tool.
  if (event?.type === 'model_response') return wordsLine(seq, field)
  const call = event?.type === 'tool_call' ? event : event && history.callOf(event)
  if (call && leaf.value !== '' && (field === 'call' || field === 'tool')) return callOrigins(call, leaf)
  const known = end.state.actions.filter(({ ref }) => ref === seq)
  const action = known.find((one) => isShown(one, item)) ?? known[0]
  const place = event?.delta?.add_action?.findIndex((added) => sameText(added.summary, action?.summary)) ?? -1
  if (place >= 0) return inDelta(seq, 'add_action', place, field ?? '')
  // No delta speaks of it: the call without a result, or a result that says no more than its outcome.
  return leaf.value === '' || leaf.value === null
    ? []
    : [{ seq, field: field === 'outcome' ? '/data/outcome' : '/data/tool' }]
}

/** A call as text begins with its tool, unless that was cut off; the rest are arguments. */
function callOrigins({ seq, data }: EventFor<'tool_call'>, leaf: Leaf): Origin[] {
  const text = String(leaf.value)
  const isNamed = text.startsWith(data.tool)
  const args = isNamed ? text.slice(data.tool.length).trim() : text
  return [
    ...(isNamed ? [{ seq, field: '/data/tool', part: data.tool }] : []),
    ...(args === '' || leaf.path[2] === 'tool' ? [] : [{ seq, field: '/data/args', part: args }]),
  ]
}

/** Words are no call: their line has no tool, and its outcome is what the view gives to all of them. */
function wordsLine(seq: number, field: string | undefined): Origin[] {
  if (field === 'summary') return [{ seq, field: '/data/text' }]
  return field === 'outcome' ? [{ seq, field: '/type', counted: true }] : []
}

/** A view may show less of a summary than the state holds. */
const isShown = ({ summary }: Action, item: Json | undefined): boolean => {
  const shown = valueAt(item ?? null, ['summary'])
  return typeof shown === 'string' && summary.includes(shown)
}

/** A text as it came, and within a cap of the state. */
const sameText = (whole: string | undefined, held: string | undefined): boolean =>
  whole !== undefined &&
  held !== undefined &&
  (whole === held || (held.endsWith('…') && whole.startsWith(held.slice(0, -1))))

/** A change of status keeps the text: each is looked for by itself. */
function planOrigins(asked: Asked): Origin[] {
  const { leaf, end, history } = asked
  const item = itemOf(asked)
  const seq = refOf(item)
  const field = leaf.path[2] ?? ''
  if (field === 'ref') return [{ seq, field: '/seq' }]
  const text = valueAt(item ?? null, ['text'])
  const known = end.state.plan.find((one) => one.ref === seq && one.text === text)
  for (let at = seq; at > 0; at--) {
    const changes = history.event(at)?.delta?.update_plan ?? []
    const place = changes.findLastIndex(
      (change) => change !== null && change.id === known?.id && Object.hasOwn(change, field),
    )
    if (place >= 0) return inDelta(at, 'update_plan', place, field)
  }
  // An item that was given no status is open.
  return known ? [{ seq, field: '/delta/update_plan', counted: true }] : []
}

function knowledgeOrigins({ leaf, end, history }: Asked): Origin[] {
  const [, key = '', field, ...rest] = leaf.path
  const fact = Object.hasOwn(end.state.knowledge, key) ? end.state.knowledge[key] : undefined
  if (!fact) return []
  if (field === 'stale') return typeof leaf.value === 'number' ? [{ seq: leaf.value, field: '/seq' }] : []
  const header = ofHeader(field)
  if (header) return [{ seq: fact.ref, field: header }]
  const given = Object.keys(history.event(fact.ref)?.delta?.update_knowledge ?? {})
  const name = given.find((one) => sameText(one, key)) ?? key
  return [{ seq: fact.ref, field: pointerOf(['delta', 'update_knowledge', name, ...rest]) }]
}

function lineOrigins(
  lines: readonly Sourced<string>[],
  leaf: Leaf,
  history: History,
  field: 'add_diagnostics' | 'add_failed_attempt',
): Origin[] {
  const known = lines.find(({ value }) => value === leaf.value)
  if (!known) return []
  const place = (history.event(known.ref)?.delta?.[field] ?? []).findLastIndex(
    (line) => line !== null && sameText(line, known.value),
  )
  return inDelta(known.ref, field, place)
}

function candidateOrigins({ leaf, end, history }: Asked): Origin[] {
  const { candidates } = end.state
  const [, at = '', ...rest] = leaf.path
  const shown = candidates?.value[Number(at)]
  if (!candidates || !shown) return []
  const given = history.event(candidates.ref)?.delta?.set_candidates ?? []
  const place = given.findIndex((one) => JSON.stringify(one) === JSON.stringify(shown))
  return inDelta(candidates.ref, 'set_candidates', place, ...rest)
}

/** The last change of a file; what it is called comes from the first. */
function changedOrigins(asked: Asked): Origin[] {
  if (asked.leaf.path[2] === 'ref') return [{ seq: refOf(itemOf(asked)), field: '/seq' }]
  for (const { seq, delta } of asked.history.events) {
    const changes = delta?.change_files ?? []
    const place = changes.findIndex(({ kind, path }) => kind !== 'read' && path === asked.leaf.value)
    if (place >= 0) return inDelta(seq, 'change_files', place, 'path')
  }
  return []
}

/** What the view left out was counted from entries of the state: the events behind those that it does not show. */
function leftOutOrigins({ leaf, end }: Asked): Origin[] {
  const { state, packet } = end
  const shown = new Set([...packet.earlier, ...packet.recent_actions].map(({ ref }) => ref))
  const facts = Object.entries(state.knowledge).map(([key, { ref }]) => ({ key, ref }))
  const hidden: Readonly<Record<string, readonly { readonly ref: number }[]>> = {
    'earlier step': state.actions.filter(({ ref }) => !shown.has(ref)),
    'known fact': facts.filter(({ key }) => !Object.hasOwn(packet.knowledge, key)),
    'open problem': state.diagnostics.filter(({ value }) => !packet.diagnostics.includes(value)),
    'failed attempt': state.failed_attempts.filter(({ value }) => !packet.failed_attempts.includes(value)),
    'plan item': state.plan.filter(
      ({ ref, text }) => !packet.plan.some((item) => item.ref === ref && item.text === text),
    ),
    'changed file': state.changed.filter(
      ({ ref, value }) => !packet.changed.some((file) => file.ref === ref && file.path === value),
    ),
    file: Object.values(state.files).filter(({ path }) => !packet.files.some((file) => file.path === path)),
  }
  const counted = String(leaf.value).replace(/^[\d,]+ /, '')
  const what = Object.keys(hidden).find((name) => counted.startsWith(name)) ?? ''
  const refs = (hidden[what] ?? []).map(({ ref }) => ref)
  // Of steps that even the state forgot it holds the first and the last.
  const { forgotten } = state
  const gone = what === 'earlier step' && forgotten ? [forgotten.first, forgotten.last] : []
  return [...new Set([...gone, ...refs])].map((seq) => ({ seq, field: '/seq', counted: true }))
}

/** Where names of the index were seen: in a call, an output, or a line of a file that defines them. */
function seenOrigins(asked: Asked): Origin[] {
  const { leaf } = asked
  const item = itemOf(asked) ?? null
  const [seq, path] = [refOf(item), String(valueAt(item, ['path']))]
  switch (leaf.path[2]) {
    case 'ref':
      return [{ seq, field: '/seq' }]
    case 'kind':
      return [{ seq, field: '/type', counted: true }]
    case 'path':
      return path === '' ? [] : [{ seq: namedAt(asked, path) ?? seq, field: '/delta/change_files' }]
  }
  const find = valueAt(item, ['kind']) === 'call' ? inCalls : path === '' ? inOutputs : undefined
  return String(leaf.value)
    .split(', ')
    .flatMap((name) => find?.(asked, name) ?? definitionOrigins(asked, path, name))
}

/** The newest call that gave a name. */
function inCalls({ end, history }: Asked, name: string): Origin[] {
  const action = end.state.actions.findLast(({ args }) => valuesIn(args).includes(name))
  const event = action && history.event(action.ref)
  const call = event && (event.type === 'tool_call' ? event : history.callOf(event))
  return call ? [{ seq: call.seq, field: '/data/args', part: name }] : []
}

/** The newest output that held a name, or a file that defines it. */
function inOutputs(asked: Asked, name: string): Origin[] {
  const { actions, files } = asked.end.state
  const action = actions.findLast(({ output }) => output.includes(name))
  if (action) return [{ seq: action.ref, field: '/delta/add_action/0/output', part: name }]
  return (
    Object.keys(files)
      .map((path) => definitionOrigins(asked, path, name))
      .find((origins) => origins.length > 0) ?? []
  )
}
