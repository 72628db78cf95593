import { canonical, type Json } from '../event/json.ts'
import { cap } from '../packet/caps.ts'
import type { Packet } from '../packet/packet.ts'
import { fileItems, fileLines } from './files.ts'
import {
  attemptItems,
  changeItems,
  factItems,
  findingsByWorth,
  goalOf,
  item,
  personItems,
  saysError,
  toldItems,
  withChange,
} from './items.ts'
import { bullet, indented, type OutlineLine, plain } from './render.ts'
import { type Row, row } from './row.ts'
import { stepItems, stepLines } from './steps.ts'

/** A text that stands by itself. */
const textRow = (field: 'node_summary' | 'state_summary', title: string, weight: number): Row =>
  row<string>({
    ...{ field, title, weight, shape: 'one' },
    items: ({ state: { [field]: known } }) => {
      if (!known) return []
      const pointer = known.ref === 1 ? `/data/${field}` : `/delta/set_${field}`
      return [item(known.ref, pointer, (text) => text, known.value)]
    },
    lines: (text) => [[bullet(text)]],
  })

const pairLine = ([name, value]: readonly [string, Json]): OutlineLine[] => [
  [bullet(`${plain(name)}: ${plain(value)}`)],
]

const saidLines = ({ turn, text }: Packet['person'][number]): OutlineLine[] =>
  indented(text, `- (turn ${turn}) `, '  ', 'text')

const MARKS = { open: '[ ]', active: '[>]', done: '[x]', dropped: '[-]' } as const
const BY_STATUS = ['active', 'open', 'done', 'dropped']

/** The table: every section of the packet, in the order of the outline. */
export const rows: readonly Row[] = [
  row<string>({
    ...{ field: 'goal', shape: 'one', title: '', weight: 0 },
    // More of it than what stands in any case, where there is space.
    items: ({ state }) => {
      const stands = cap(state.settings, 'goal_tokens')
      const more = { ...item(1, '', (text) => text), text: goalOf(state), weight: 60, head: -stands }
      return stands === Number.MAX_SAFE_INTEGER ? [] : [{ ...more, originsOf: () => [] }]
    },
    lines: () => [],
  }),
  row<Packet['person'][number]>({
    ...{ field: 'person', shape: 'list', title: 'THE PERSON SAID', weight: 250, floor: 120, least: 64 },
    items: personItems,
    lines: saidLines,
  }),
  row<Packet['told'][number]>({
    ...{ field: 'told', shape: 'list', title: 'YOU TOLD THEM', weight: 120, floor: 60 },
    items: toldItems,
    lines: saidLines,
  }),
  textRow('node_summary', 'NODE', 40),
  textRow('state_summary', 'STATE', 60),
  row<Packet['plan'][number]>({
    ...{ field: 'plan', shape: 'list', title: 'PLAN', weight: 300 },
    items: ({ state }) =>
      [...state.plan.entries()]
        .sort(([, a], [, b]) => BY_STATUS.indexOf(a.status) - BY_STATUS.indexOf(b.status))
        .map(([key, { ref, text, status }]) =>
          item(ref, '/delta/update_plan', () => ({ text, status, ref }), undefined, key),
        ),
    lines: ({ text, status }) => [[`${MARKS[status]} ${plain(text)}`, 'text']],
  }),
  row<Packet['changed'][number]>({
    ...{ field: 'changed', shape: 'list', title: 'CHANGED SO FAR', weight: 100, floor: 100 },
    items: changeItems,
    lines: ({ path, what, said }) => [
      [bullet(`${path}${what === '' ? '' : `: ${what}`}`), 'path', path],
      ...said.map((one, at): OutlineLine => [`  ${plain(one)}`, `said/${at}`]),
    ],
  }),
  row<Packet['conclusions'][number]>({
    ...{ field: 'conclusions', shape: 'list', title: 'FOUND OUT AND DECIDED', weight: 120, floor: 135 },
    items: ({ state }) =>
      findingsByWorth(state).map((one) => ({
        ...item(one.ref, '/delta/add_conclusions', () => ({ text: one.value, ref: one.ref })),
        ...{ key: state.conclusions.indexOf(one), part: one },
      })),
    lines: ({ text }) => [[bullet(text), 'text']],
  }),
  row<string>({
    ...{ field: 'failed_attempts', shape: 'list', title: 'FAILED BEFORE', weight: 50, floor: 90 },
    items: ({ state }) => attemptItems(state),
    lines: (line) => [[bullet(line)]],
  }),
  row<[string, Packet['knowledge'][string]]>({
    ...{ field: 'knowledge', shape: 'record', title: 'KNOWN', weight: 30, floor: 40 },
    items: ({ state }) => factItems(state),
    lines: ([name, { value, stale }]) => [
      [bullet(`${plain(name)}: ${plain(value)}${stale === null ? '' : ` (before #${stale})`}`), 'value'],
    ],
  }),
  row<string>({
    ...{ field: 'hub_freshness', shape: 'one', title: 'CODE AS OF', weight: 40 },
    items: ({ state: { hub } }) =>
      hub ? [item(hub.ref, '/delta/set_hub_context/freshness', () => hub.value.freshness)] : [],
    lines: (text) => [[bullet(text)]],
  }),
  row<readonly [string, Json]>({
    ...{ field: 'hub_context', shape: 'record', title: 'CODE', weight: 80 },
    items: ({ state: { hub } }) =>
      Object.entries(hub?.value.context ?? {}).map((pair, key) =>
        item(hub?.ref ?? 0, '/delta/set_hub_context/context/', () => pair, undefined, key),
      ),
    lines: pairLine,
  }),
  row<readonly [string, Json]>({
    ...{ field: 'extensions', shape: 'record', title: 'MORE', weight: 1 },
    items: ({ state: { extensions, settings } }) =>
      Object.entries(extensions).map(([name, { ref, value }], key) => ({
        ...item(ref, '/delta/set_extension/', () => [name, value] as const, undefined, key),
        // Each whole or not at all; its weight follows from the share that it was registered with.
        weight: Math.max(1, Math.round((settings.extensions[name]?.share ?? 0) * 1000)),
      })),
    lines: pairLine,
  }),
  row<Packet['files'][number]>({
    ...{ field: 'files', shape: 'list', weight: 30, floor: 10 },
    title: 'FILES as they are now, lines that are known; some with their number before a bar',
    items: fileItems,
    lines: fileLines,
  }),
  row<NonNullable<Packet['focus']>>({
    ...{ field: 'focus', shape: 'one', title: 'IN FOCUS', weight: 100 },
    items: ({ state: { focus } }) => {
      if (!focus) return []
      const { ref, value } = focus
      return [item(ref, '/delta/set_focus/', (text) => ({ ref, place: value.place, text }), value.text)]
    },
    lines: ({ place, text }) => [[bullet(place), 'place'], ...indented(text, '  ', '    ', 'text')],
  }),
  row<string>({
    ...{ field: 'diagnostics', shape: 'list', title: 'OPEN PROBLEMS', weight: 250, floor: 60 },
    items: ({ state }) =>
      state.diagnostics
        .map((one, key) =>
          item(one.ref, '/delta/add_diagnostics', () => withChange(one, state), undefined, key),
        )
        .reverse(),
    lines: (line) => [[bullet(line)]],
  }),
  row<string>({
    ...{ field: 'last_error', shape: 'one', title: 'LAST ERROR', weight: 60 },
    items: ({ state: { last_error } }) =>
      last_error ? [item(last_error.ref, '/delta/set_error', (text) => text, last_error.value)] : [],
    // Told once, where the newest output says it.
    lines: (text, { recent_actions }) =>
      saysError(text, recent_actions.at(-1)?.output ?? '') ? [] : indented(text, '  ', '    '),
  }),
  row<Packet['recent_actions'][number]>({
    ...{ field: 'recent_actions', shape: 'list', title: 'STEPS', weight: 260, floor: 110 },
    items: stepItems,
    lines: stepLines,
  }),
  row<Packet['candidate_actions'][number]>({
    ...{ field: 'candidate_actions', shape: 'list', title: 'CANDIDATES', weight: 150 },
    items: ({ state: { candidates } }) =>
      (candidates?.value ?? []).map((one, key) =>
        item(candidates?.ref ?? 0, `/delta/set_candidates/${key}/`, () => one, undefined, key),
      ),
    lines: ({ tool, args, reason }) => [[bullet(`${tool} ${canonical(args)} ${reason}`)]],
  }),
]
