import { canonical, type Json } from '../event/json.ts'
import { cap } from '../packet/caps.ts'
import type { Fact, Sourced, State } from '../packet/state.ts'
import { fileItems, fileLines } from './files.ts'
import { at, attemptItem, byWorth, changeItems, escaped, goalOf, item, saysError, words } from './items.ts'
import { bullet, indented, plain } from './render.ts'
import { type Row, row } from './row.ts'
import { stepItems, stepLines } from './steps.ts'

/** The newest first; they stand in their order. */
const newest = <T extends { readonly ref: number }>(all: readonly T[]): T[] => all.toReversed()
const pairLine = ([name, value]: readonly [string, Json]): readonly string[] => [
  bullet(`${plain(name)}: ${plain(value)}`),
]

/** A text that stands by itself. */
const textRow = (
  field: 'node_summary' | 'state_summary',
  title: string,
  weight: number,
  pointer: string,
): Row =>
  row<typeof field, string>({
    ...{ field, title, weight },
    items: ({ state }) => {
      const known = state[field]
      return known
        ? [
            item(
              0,
              known.ref,
              known.ref === 1 ? `/data/${field}` : pointer,
              (text) => text,
              words(known.value),
            ),
          ]
        : []
    },
    lines: (text) => [bullet(text)],
    put: ([text = '']) => text,
    entriesOf: (packet) => (packet[field] === '' ? [] : [packet[field]]),
  })

/** A problem may be gone once its file was changed. */
function changedSince({ value, ref }: Sourced<string>, { changed }: State): string {
  const later = changed.find(
    (file) => file.ref > ref && value.includes(file.value.split(/[\\/]/).at(-1) ?? file.value),
  )
  return later ? ` (the file was changed since, #${later.ref})` : ''
}

/** Lines, each of one event. */
const linesRow = (
  field: 'diagnostics',
  title: string,
  share: { readonly weight: number; readonly floor?: number },
  pointer: string,
): Row =>
  row<typeof field, string>({
    ...{ field, title, ...share },
    items: ({ state }) =>
      [...state[field].entries()].map(([key, problem]) =>
        item(key, problem.ref, pointer, () => problem.value + changedSince(problem, state)),
      ),
    lines: (line) => [bullet(line)],
    put: (lines) => [...lines],
    entriesOf: (packet) => packet[field],
  })

const MARKS = { open: '[ ]', active: '[>]', done: '[x]', dropped: '[-]' } as const
const BY_STATUS = ['active', 'open', 'done', 'dropped']

/** What a person or the definition stated is told first, then what was learned last. */
const rankOf = ({ from, ref }: Fact): number =>
  (from === 'person' || from === 'definition' ? 1_000_000_000 : 0) + ref

/** The table: every section of the packet, in the order of the outline. */
export const rows: readonly Row[] = [
  row({
    ...{ field: 'goal', title: '', weight: 0 },
    items: ({ state, reader }) =>
      // More of it than what stands in any case, where there is space.
      Object.hasOwn(state.settings.caps, 'goal_tokens')
        ? [
            {
              ...item(
                0,
                state.goal.ref,
                state.goal.ref === 1 ? '/data/goal' : '/data/text',
                (text) => text,
                goalOf(state, reader),
              ),
              weight: 60,
              price: -cap(state.settings, 'goal_tokens'),
            },
          ]
        : [],
    lines: () => [],
    put: ([text], { goal }) => text ?? goal,
    entriesOf: ({ goal }) => [goal],
  }),
  row({
    ...{ field: 'person', title: 'THE PERSON SAID', weight: 250 },
    items: ({ state }) =>
      newest(state.person).map(({ ref, turn, value }) =>
        item(ref, ref, '/data/text', (text) => ({ turn, text, ref }), words(value)),
      ),
    lines: ({ turn, text }) => indented(`- (turn ${turn}) ${text}`),
    put: (said) => [...said],
    entriesOf: ({ person }) => person,
  }),
  textRow('node_summary', 'NODE', 40, '/delta/set_node_summary'),
  textRow('state_summary', 'STATE', 60, '/delta/set_state_summary'),
  row({
    ...{ field: 'plan', title: 'PLAN', weight: 300 },
    items: ({ state }) =>
      [...state.plan.entries()]
        .sort(([, a], [, b]) => BY_STATUS.indexOf(a.status) - BY_STATUS.indexOf(b.status))
        .map(([key, { ref, text, status }]) =>
          item(key, ref, '/delta/update_plan', () => ({ text, status, ref })),
        ),
    lines: ({ text, status }) => [`${MARKS[status]} ${plain(text)}`],
    put: (items) => [...items],
    entriesOf: ({ plan }) => plan,
  }),
  row({
    ...{ field: 'changed', title: 'CHANGED SO FAR', weight: 100, floor: 80 },
    items: ({ state }) => changeItems(state.changed),
    lines: ({ path, what, said }) => [
      bullet(`${path}${what === '' ? '' : `: ${what}`}`),
      ...said.map((one) => `  ${plain(one)}`),
    ],
    put: (files) => [...files],
    entriesOf: ({ changed }) => changed,
  }),
  row({
    ...{ field: 'conclusions', title: 'FOUND OUT AND DECIDED', weight: 120, floor: 90 },
    items: ({ state }) =>
      [...byWorth(state)].map((one) => ({
        ...item(state.conclusions.indexOf(one), one.ref, '/delta/add_conclusions', () => ({
          text: one.value,
          ref: one.ref,
        })),
        price: one,
      })),
    lines: ({ text, ref }) => [bullet(`${text} (#${ref})`)],
    put: (found) => [...found],
    entriesOf: ({ conclusions }) => conclusions,
  }),
  row({
    ...{ field: 'failed_attempts', title: 'FAILED BEFORE', weight: 50, floor: 45 },
    items: ({ state }) =>
      newest(state.failed_attempts).map((one, at) => ({ ...attemptItem(one), key: one.ref * 64 + 63 - at })),
    lines: (line) => [bullet(line)],
    put: (lines) => [...lines],
    entriesOf: (packet) => packet.failed_attempts,
  }),
  row({
    ...{ field: 'knowledge', title: 'KNOWN', weight: 30, floor: 40 },
    items: ({ state: { knowledge, changed } }) => {
      const last = changed.at(-1)?.ref ?? 0
      return [...Object.entries(knowledge).entries()]
        .sort(([, [, a]], [, [, b]]) => rankOf(b) - rankOf(a))
        .map(([key, [name, { ref, value, source_turn, from }]]) => {
          const stale = from === 'tool' && ref < last ? last : null
          const one = item(key, ref, '', () => [name, { value, source_turn, stale }] as const)
          return {
            ...one,
            originsOf: (path) =>
              path[1] === 'stale'
                ? [at(last, '/seq')]
                : path[1] === 'value'
                  ? [at(ref, `/delta/update_knowledge/${[name, ...path.slice(2)].map(escaped).join('/')}`)]
                  : one.originsOf(path, one.add(undefined, '', []) ?? [name, { value, source_turn, stale }]),
          }
        })
    },
    lines: ([name, { value, stale }]) =>
      pairLine([name, `${plain(value)}${stale === null ? '' : ` (before #${stale})`}`]),
    put: (facts) => Object.fromEntries(facts),
    entriesOf: ({ knowledge }) => Object.entries(knowledge),
  }),
  row({
    ...{ field: 'hub_freshness', title: 'CODE AS OF', weight: 40 },
    items: ({ state: { hub } }) => {
      const { ref = 0, value } = hub ?? {}
      return value ? [item(0, ref, '/delta/set_hub_context/freshness', () => value.freshness)] : []
    },
    lines: (text) => [bullet(text)],
    put: ([text = null]) => text,
    entriesOf: ({ hub_freshness }) => (hub_freshness === null ? [] : [hub_freshness]),
  }),
  row({
    ...{ field: 'hub_context', title: 'CODE', weight: 80 },
    items: ({ state: { hub } }) =>
      Object.entries(hub?.value.context ?? {}).map((pair, key) =>
        item(key, hub?.ref ?? 0, '/delta/set_hub_context/context/', () => pair),
      ),
    lines: pairLine,
    put: (pairs) => (pairs.length === 0 ? null : Object.fromEntries(pairs)),
    entriesOf: ({ hub_context }) => Object.entries(hub_context ?? {}),
  }),
  row({
    ...{ field: 'extensions', title: 'MORE', weight: 1 },
    items: ({ state: { extensions, settings } }) =>
      Object.entries(extensions).map(([name, { ref, value }], key) => ({
        ...item(key, ref, '/delta/set_extension/', () => [name, value] as const),
        // Each whole or not at all; its weight follows from the share that it was registered with.
        weight: Math.max(1, Math.round((settings.extensions[name]?.share ?? 0) * 1000)),
      })),
    lines: pairLine,
    put: (values) => Object.fromEntries(values),
    entriesOf: ({ extensions }) => Object.entries(extensions),
  }),
  row({
    ...{
      field: 'files',
      title: 'FILES, as they are now (which lines are known; some have their number before a bar)',
      weight: 30,
      floor: 10,
    },
    items: fileItems,
    lines: fileLines,
    put: (files) => [...files],
    entriesOf: ({ files }) => files,
  }),
  row({
    ...{ field: 'focus', title: 'IN FOCUS', weight: 100 },
    items: ({ state: { focus } }) => {
      const { ref = 0, value } = focus ?? {}
      return value
        ? [
            item(
              0,
              ref,
              '/delta/set_focus/',
              (text) => ({ ref, place: value.place, text }),
              words(value.text),
            ),
          ]
        : []
    },
    lines: ({ place, text }) => [bullet(place), ...indented(`  ${text}`)],
    put: ([focus = null]) => focus,
    entriesOf: ({ focus }) => (focus === null ? [] : [focus]),
  }),
  linesRow('diagnostics', 'OPEN PROBLEMS', { weight: 250, floor: 60 }, '/delta/add_diagnostics'),
  row({
    ...{ field: 'last_error', title: 'LAST ERROR', weight: 60 },
    items: ({ state: { last_error } }) =>
      last_error === null
        ? []
        : [item(0, last_error.ref, '/delta/set_error', (text) => text, words(last_error.value))],
    // Told once, where the newest output says it.
    lines: (text, { recent_actions }) =>
      saysError(text, recent_actions.at(-1)?.output ?? '') ? [] : indented(`  ${text}`),
    put: ([text = null]) => text,
    entriesOf: ({ last_error }) => (last_error === null ? [] : [last_error]),
  }),
  row({
    ...{ field: 'recent_actions', title: 'STEPS', weight: 260, floor: 60 },
    items: stepItems,
    lines: stepLines,
    put: (steps) => [...steps],
    entriesOf: (packet) => packet.recent_actions,
  }),
  row({
    ...{ field: 'candidate_actions', title: 'CANDIDATES', weight: 150 },
    items: ({ state: { candidates } }) =>
      (candidates?.value ?? []).map((one, key) =>
        item(key, candidates?.ref ?? 0, `/delta/set_candidates/${key}/`, () => one),
      ),
    lines: ({ tool, args, reason }) => [bullet(`${tool} ${canonical(args)} ${reason}`)],
    put: (candidates) => [...candidates],
    entriesOf: (packet) => packet.candidate_actions,
  }),
]
