import { cutMiddle } from '../../text/cut.ts'
import { valuesIn } from '../../text/values.ts'
import { isObject, type Json, type JsonObject } from '../event/json.ts'
import { cap } from '../packet/caps.ts'
import type { Packet } from '../packet/packet.ts'
import type { Origin, State, Words } from '../packet/state.ts'
import { cutter, GOAL, joinRuns, PROSE, type Text } from './cut.ts'
import type { Reader } from './reader.ts'
import { escaped } from './render.ts'
import type { Desk, Item } from './section.ts'

/** What of an entry stands in the event's header. */
const HEADER = new Map([
  ['ref', '/seq'],
  ['turn', '/turn'],
  ['source_turn', '/turn'],
])

/** A place in an event; of what its header says, that. Where it ends with a slash, names inside the entry go on. */
export const originIn = (ref: number, field: string, path: readonly string[]): Origin => {
  const under = field.endsWith('/') ? path.map(escaped).join('/') : ''
  return { seq: ref, field: HEADER.get(path.at(-1) ?? '') ?? field + under }
}

/** Something of one field of one event. */
export const item = <Value>(ref: number, field: string, value: Value, key = ref): Item<Value> => ({
  key,
  value,
  originsOf: (path) => [originIn(ref, field, path)],
})

const SHORT_CHARS = 360
const SHORT_TOKENS = 100

/** A text with both its ends, and more of it where there is space. */
export const prose = <Value>(
  ref: number,
  field: string,
  text: string,
  make: (text: string) => Value,
  chars = SHORT_CHARS,
): Item<Value> => ({
  ...item(ref, field, make(cutMiddle(text, chars))),
  texts:
    text.length <= chars
      ? []
      : [
          {
            text: { lines: text.split('\n'), kind: PROSE },
            stands: SHORT_TOKENS,
            least: SHORT_TOKENS,
            put: (_, more) => make(more),
          },
        ],
})

const goalIn = ({ goal }: State): Text => ({ lines: goal.value.split('\n'), kind: GOAL })

/** What stands of the goal in any case: all of it, unless the run was told to make do with less. */
export function goalText(state: State, { costOfLine }: Reader): string {
  const text = goalIn(state)
  return joinRuns(cutter(text, costOfLine, () => 0)(cap(state.settings, 'goal_tokens')), text.lines.length)
}

/** More of it, where there is space. */
export function goalItems({ state }: Desk): Item<string>[] {
  const stands = cap(state.settings, 'goal_tokens')
  if (stands === Number.MAX_SAFE_INTEGER) return []
  const more = { text: goalIn(state), weight: 60, stands, put: (_: string, text: string) => text }
  return [{ key: 0, value: '', needsText: true, texts: [more], originsOf: () => [] }]
}

type Said = Packet['person'][number]

/** What people said: the last words first, then the first ones, then the others. */
export function personItems({ state: { person } }: Desk): Item<Said>[] {
  const newest = person.toReversed()
  return [...newest.slice(0, 1), ...newest.slice(1).slice(-1), ...newest.slice(1, -1)].map(saidItem)
}

/** What the model told people, the newest first. */
export const toldItems = ({ state }: Desk): Item<Said>[] => answersIn(state).reverse().map(saidItem)

const saidItem = ({ ref, turn, value }: Words): Item<Said> =>
  prose(ref, '/data/text', value, (text) => ({ turn, text, ref }))

/** The model's words that a person answered: after them it waited and called nothing. */
export function answersIn({ thoughts, person, actions }: State): Words[] {
  let [heard, done] = [0, 0]
  return thoughts.filter(({ ref }, at) => {
    while ((person[heard]?.ref ?? ref) < ref) heard++
    while ((actions[done]?.called ?? ref) < ref) done++
    const next = Math.min(thoughts[at + 1]?.ref ?? Infinity, actions[done]?.called ?? Infinity)
    return (person[heard]?.ref ?? Infinity) < next
  })
}

/** The active item first, then what is open. */
const BY_STATUS = ['active', 'open', 'done', 'dropped']

export const planItems = ({ state: { plan } }: Desk): Item<Packet['plan'][number]>[] =>
  plan
    .map(({ ref, text, status }, key) => item(ref, '/delta/update_plan', { text, status, ref }, key))
    .sort((a, b) => BY_STATUS.indexOf(a.value.status) - BY_STATUS.indexOf(b.value.status))

export const textItems =
  (field: 'node_summary' | 'state_summary' | 'last_error', place: string) =>
  ({ state: { [field]: known } }: Desk): Item<string>[] =>
    known ? [prose(known.ref, known.ref === 1 ? `/data/${field}` : place, known.value, (text) => text)] : []

export const focusItems = ({ state: { focus } }: Desk): Item<NonNullable<Packet['focus']>>[] =>
  focus
    ? [
        prose(focus.ref, '/delta/set_focus/', focus.value.text, (text) => ({
          ref: focus.ref,
          place: focus.value.place,
          text,
        })),
      ]
    : []

type Named = readonly [name: string, value: Json]

export const hubTime = ({ state: { hub } }: Desk): Item<string>[] =>
  hub ? [item(hub.ref, '/delta/set_hub_context/freshness', hub.value.freshness)] : []

/** What the summary of the agent's own node says is told there. */
export const hubItems = ({ state: { hub, node, node_summary } }: Desk): Item<Named>[] =>
  Object.entries(hub?.value.context ?? {}).flatMap(([name, value], key) => {
    const untold = name === node.id && isObject(value) ? untoldIn(value, node_summary?.value ?? '') : value
    if (isObject(untold) && Object.keys(untold).length === 0) return []
    return [item(hub?.ref ?? 0, `/delta/set_hub_context/context/${escaped(name)}/`, [name, untold], key)]
  })

const untoldIn = (fields: object, told: string): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        typeof value === 'boolean' ||
        told === '' ||
        !valuesIn(value)
          .split('\n')
          .every((text) => told.includes(text)),
    ),
  )

export const extensionItems = ({ state: { extensions } }: Desk): Item<Named>[] =>
  Object.entries(extensions).map(([name, { ref, value }], key) =>
    item(ref, `/delta/set_extension/${escaped(name)}/`, [name, value], key),
  )

/** Each was registered with a share of the packet. */
export const extensionShare = ({ extensions, settings }: State): number =>
  Object.keys(extensions).reduce(
    (sum, name) => sum + Math.round((settings.extensions[name]?.share ?? 0) * 1000),
    1,
  )

export const candidateItems = ({
  state: { candidates },
}: Desk): Item<Packet['candidate_actions'][number]>[] =>
  (candidates?.value ?? []).map((one, key) =>
    item(candidates?.ref ?? 0, `/delta/set_candidates/${key}/`, one, key),
  )
