import { cutMiddle } from '../../text/cut.ts'
import { valuesIn } from '../../text/values.ts'
import { isObject, type Json, type JsonObject } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'
import type {
  Attempt,
  ChangedFile,
  Fact,
  KeptConclusion,
  Origin,
  Sourced,
  State,
  Words,
} from '../packet/state.ts'
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
const item = <Entry>(ref: number, field: string, forms: Item<Entry>['forms'], key = ref): Item<Entry> => ({
  key,
  forms,
  originsOf: (path) => [originIn(ref, field, path)],
})

const SHORT_CHARS = 360
const LONG_CHARS = 1_500

/** A text in ever fuller forms: both of its ends, more of them, all of it. */
const inForms = <Entry>(text: string, entry: (text: string) => Entry): Item<Entry>['forms'] => [
  entry(cutMiddle(text, SHORT_CHARS)),
  ...(text.length > SHORT_CHARS ? [entry(cutMiddle(text, LONG_CHARS))] : []),
  ...(text.length > LONG_CHARS ? [entry(text)] : []),
]

type Said = Packet['person'][number]

/** What people said: the last words first, then the first ones, then the others. */
export function personItems({ state: { person } }: Desk): Item<Said>[] {
  const newest = person.toReversed()
  return [...newest.slice(0, 1), ...newest.slice(1).slice(-1), ...newest.slice(1, -1)].map(saidItem)
}

/** What the model told people, the newest first. */
export const toldItems = ({ state }: Desk): Item<Said>[] => answersIn(state).reverse().map(saidItem)

const saidItem = ({ ref, turn, value }: Words): Item<Said> =>
  item(
    ref,
    '/data/text',
    inForms(value, (text) => ({ turn, text, ref })),
  )

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

type Changed = Packet['changed'][number]

const LAST_CHANGED = 3

/** The last files that were changed, then those of which most was; each with what was said of its changes, newest first. */
export function changeItems({ state: { changed } }: Desk): Item<Changed>[] {
  const last = new Set(changed.slice(-LAST_CHANGED))
  // Of what a command wrote in an unknown way only its name is known.
  const rank = (file: ChangedFile): number =>
    (file.added + file.removed + file.said.length > 0 ? 2 : 0) + (last.has(file) ? 1 : 0)
  const heard = new Set<string>()
  return changed
    .toSorted((a, b) => rank(b) - rank(a) || b.added + b.removed - (a.added + a.removed))
    .map((file) => {
      const { ref, value: path } = file
      // What was said of several is told once.
      const said = file.said.filter(({ value }) => !heard.has(value))
      for (const { value } of said) heard.add(value)
      const told = said.map(({ value }) => value)
      const bare = { path, what: whatOf(file), said: [], ref }
      return {
        // Several may be changed by one event.
        key: changed.indexOf(file),
        forms: [bare, ...said.map((_, ago) => ({ ...bare, said: told.slice(-1 - ago) }))],
        originsOf: (inside, shown) => {
          const [field = '', at] = inside
          const remark = said.find(({ value }) => field === 'said' && value === shown.said[Number(at)])
          const origin = originIn(remark?.ref ?? ref, '/delta/change_files', inside)
          return [field === 'what' ? { ...origin, counted: true } : origin]
        },
      }
    })
}

/** How many lines, and what in them: `+3 −1 in apply`. */
function whatOf({ added, removed, names, restored }: ChangedFile): string {
  if (restored) return 'restored, as it was before'
  const lines = `${added > 0 ? `+${added} ` : ''}${removed > 0 ? `−${removed} ` : ''}`
  return `${lines}${names.length > 0 ? `in ${names.join(', ')}` : ''}`.trim()
}

const PARTS = 3

/** The best of each part of the run in turn, the newest part first. */
function spread<T extends { readonly ref: number }>(all: readonly T[], scoreOf: (one: T) => number): T[] {
  const size = Math.ceil(all.length / PARTS)
  const parts = Array.from({ length: PARTS }, (_, part) =>
    all.slice(part * size, (part + 1) * size).sort((a, b) => scoreOf(b) - scoreOf(a) || b.ref - a.ref),
  ).reverse()
  return Array.from({ length: size }, (_, at) => parts.flatMap((part) => part[at] ?? [])).flat()
}

/** What says most, from all of the run; what was said last stands in the steps. */
export function findingItems({
  state: { conclusions, thoughts },
}: Desk): Item<Packet['conclusions'][number]>[] {
  const last = thoughts.at(-1)?.ref
  const isLast = ({ ref }: KeptConclusion): number => (ref === last ? 1 : 0)
  return spread(conclusions, ({ score }) => score)
    .sort((a, b) => isLast(a) - isLast(b))
    .map((one) =>
      item(one.ref, '/delta/add_conclusions', [{ text: one.value, ref: one.ref }], conclusions.indexOf(one)),
    )
}

const ATTEMPT_CHARS = 120
const WHY_CHARS = 130

/** What of a command, and of how it ended, follows from how its output was trimmed: a pipe hides the exit code. */
const TRIMMED =
  / *(?:[12&]?> ?(?:&[12]|\/dev\/null)|\|&? *(?:head|tail|cat)\b[^|;&:]*)| with exit code \d+(?=, ")/g

/** What failed before a tool says more than that the model thought so; the reason of another is told with that. */
export function attemptItems({ state: { failed_attempts } }: Desk): Item<string>[] {
  const told = new Set(failed_attempts.map(({ why }) => why?.value))
  const failures = Map.groupBy(
    failed_attempts.filter(({ value }) => !told.has(value)),
    ({ value }) => value.replace(TRIMMED, ''),
  )
  const best = spread(
    // Of one failure the newest that is explained, or the newest.
    [...failures.values()].flatMap((same) => same.findLast(({ why }) => why) ?? same.at(-1) ?? []),
    ({ from, why, later }) => (from === 'tool' ? 2 : 0) + (why ? 2 : 0) + (later ? 1 : 0),
  )
  return best.map((one) => {
    const { ref, value, why, later } = one
    const short = attemptLine(ref, cutMiddle(value, ATTEMPT_CHARS), cutMiddle(why?.value ?? '', WHY_CHARS))
    const explained = [why, later].flatMap((more) =>
      more ? [{ seq: more.ref, field: '/delta/explain_attempts', part: more.value }] : [],
    )
    return {
      key: failed_attempts.indexOf(one),
      forms: [short, attemptLine(ref, value, why?.value ?? '', later)],
      originsOf: () => [{ seq: ref, field: '/delta/add_failed_attempt', part: value }, ...explained],
    }
  })
}

function attemptLine(ref: number, value: string, why: string, later?: Attempt['later']): string {
  const told = [
    value,
    why === '' ? '' : `because: ${why}`,
    later ? `later: ${later.value} (#${later.ref})` : '',
  ]
  return `${told.filter((part) => part !== '').join('; ')} (#${ref})`
}

/** What a person or the definition stated is told first, then what was learned last. */
const rankOf = ({ from, ref }: Fact): number =>
  (from === 'person' || from === 'definition' ? 1_000_000_000 : 0) + ref

export function factItems({
  state: { knowledge, changed },
}: Desk): Item<readonly [string, Packet['knowledge'][string]]>[] {
  const last = changed.at(-1)?.ref ?? 0
  return [...Object.entries(knowledge).entries()]
    .sort(([, [, a]], [, [, b]]) => rankOf(b) - rankOf(a))
    .map(([key, [name, { ref, value, source_turn, from }]]) => {
      const stale = from === 'tool' && ref < last ? last : null
      return {
        key,
        forms: [[name, { value, source_turn, stale }]],
        originsOf: ([part = '', ...rest]) =>
          part === 'stale'
            ? [{ seq: last, field: '/seq' }]
            : [originIn(ref, '/delta/update_knowledge/', part === 'value' ? [name, ...rest] : [part])],
      }
    })
}

/** The active item first, then what is open. */
const BY_STATUS = ['active', 'open', 'done', 'dropped']

export const planItems = ({ state: { plan } }: Desk): Item<Packet['plan'][number]>[] =>
  plan
    .map(({ ref, text, status }, key) => item(ref, '/delta/update_plan', [{ text, status, ref }], key))
    .sort((a, b) => BY_STATUS.indexOf(a.forms[0].status) - BY_STATUS.indexOf(b.forms[0].status))

/** The newest problem first. One may be gone once its file was changed. */
export function problemItems({ state: { diagnostics, changed } }: Desk): Item<string>[] {
  const withChange = ({ value, ref }: Sourced<string>): string => {
    const later = changed.find(
      (file) => file.ref > ref && value.includes(file.value.split(/[\\/]/).at(-1) ?? file.value),
    )
    return later ? `${value} (the file was changed since, #${later.ref})` : value
  }
  return diagnostics
    .map((one, key) => item(one.ref, '/delta/add_diagnostics', [withChange(one)], key))
    .reverse()
}

export const textItems =
  (field: 'node_summary' | 'state_summary') =>
  ({ state: { [field]: known } }: Desk): Item<string>[] =>
    known
      ? [
          item(
            known.ref,
            known.ref === 1 ? `/data/${field}` : `/delta/set_${field}`,
            inForms(known.value, same),
          ),
        ]
      : []
const same = (text: string): string => text

export const errorItems = ({ state: { last_error } }: Desk): Item<string>[] =>
  last_error ? [item(last_error.ref, '/delta/set_error', inForms(last_error.value, same))] : []

export function focusItems({ state: { focus } }: Desk): Item<NonNullable<Packet['focus']>>[] {
  if (!focus) return []
  const { ref, value } = focus
  const forms = inForms(value.text, (text) => ({ ref, place: value.place, text }))
  return [item(ref, '/delta/set_focus/', forms)]
}

type Named = readonly [name: string, value: Json]

export const hubTime = ({ state: { hub } }: Desk): Item<string>[] =>
  hub ? [item(hub.ref, '/delta/set_hub_context/freshness', [hub.value.freshness])] : []

/** What the summary of the agent's own node says is told there. */
export const hubItems = ({ state: { hub, node, node_summary } }: Desk): Item<Named>[] =>
  Object.entries(hub?.value.context ?? {}).flatMap(([name, value], key) => {
    const untold = name === node.id && isObject(value) ? untoldIn(value, node_summary?.value ?? '') : value
    if (isObject(untold) && Object.keys(untold).length === 0) return []
    return [item(hub?.ref ?? 0, `/delta/set_hub_context/context/${escaped(name)}/`, [[name, untold]], key)]
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
    item(ref, `/delta/set_extension/${escaped(name)}/`, [[name, value]], key),
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
    item(candidates?.ref ?? 0, `/delta/set_candidates/${key}/`, [one], key),
  )
