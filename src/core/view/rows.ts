import { canonical, isObject, type Json } from '../event/json.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import { fileItems, fileLines } from './files.ts'
import * as known from './items.ts'
import * as learned from './learned.ts'
import { bullet, indented, type OutlineLine, plain } from './render.ts'
import type { Desk, Item, Section, Share } from './section.ts'
import { saysError, stepItems, stepLines } from './steps.ts'

type Lines<Value> = (value: Value, packet?: Packet) => readonly OutlineLine[]

/** A row of the table, which does not know what its values are: only the row itself is given them. */
function row<Value>(
  field: keyof Packet,
  title: string,
  share: Share,
  items: (desk: Desk) => readonly Item<Value>[],
  lines: Lines<Value>,
): Section<unknown> {
  const empty = EMPTY_PACKET[field]
  const shape = Array.isArray(empty) ? 'list' : isObject(empty) ? 'record' : 'one'
  const section: Section<Value> = { field, title, shape, ...share, items, lines }
  return section
}

const text: Lines<string> = (line) => [[bullet(line)]]
const pair: Lines<readonly [string, Json]> = ([name, value]) => [[bullet(`${plain(name)}: ${plain(value)}`)]]
const said: Lines<Packet['person'][number]> = ({ turn, text }) =>
  indented(text, `- (turn ${turn}) `, '  ', 'text')

const MARKS = { open: '[ ]', active: '[>]', done: '[x]', dropped: '[-]' } as const
const planned: Lines<Packet['plan'][number]> = ({ text, status }) => [
  [`${MARKS[status]} ${plain(text)}`, 'text'],
]

const changed: Lines<Packet['changed'][number]> = ({ path, what, said }) => [
  [bullet(`${path}${what === '' ? '' : `: ${what}`}`), 'path', path],
  ...said.map((one, at): OutlineLine => [`  ${plain(one)}`, `said/${at}`]),
]

const fact: Lines<readonly [string, Packet['knowledge'][string]]> = ([name, { value, stale }]) => [
  [bullet(`${plain(name)}: ${plain(value)}${stale === null ? '' : ` (before #${stale})`}`), 'value'],
]

const focus: Lines<NonNullable<Packet['focus']>> = ({ place, text }) => [
  [bullet(place), 'place'],
  ...indented(text, '  ', '  ', 'text'),
]

/** Told once, where the newest output says it. */
const lastError: Lines<string> = (error, packet) =>
  saysError(error, packet?.recent_actions.at(-1)?.output ?? '') ? [] : indented(error, '  ', '    ')

const candidate: Lines<Packet['candidate_actions'][number]> = ({ tool, args, reason }) => [
  [bullet(`${tool} ${canonical(args)} ${reason}`)],
]

/** The table: every section of the packet, in the order of the outline. */
export const rows: readonly Section<unknown>[] = [
  row('goal', '', { weight: 0 }, known.goalItems, () => []),
  row('person', 'THE PERSON SAID', { weight: 250, floor: 120, floorTokens: 64 }, known.personItems, said),
  row('told', 'YOU TOLD THEM', { weight: 120, floor: 60 }, known.toldItems, said),
  row(
    'node_summary',
    'NODE',
    { weight: 40 },
    known.textItems('node_summary', '/delta/set_node_summary'),
    text,
  ),
  row(
    'state_summary',
    'STATE',
    { weight: 60 },
    known.textItems('state_summary', '/delta/set_state_summary'),
    text,
  ),
  row('plan', 'PLAN', { weight: 300 }, known.planItems, planned),
  row('changed', 'CHANGED SO FAR', { weight: 100, floor: 100 }, learned.changeItems, changed),
  row(
    'conclusions',
    'FOUND OUT AND DECIDED',
    { weight: 120, floor: 135 },
    learned.findingItems,
    ({ text }) => [[bullet(text), 'text']],
  ),
  row('failed_attempts', 'FAILED BEFORE', { weight: 50, floor: 90 }, learned.attemptItems, text),
  row('knowledge', 'KNOWN', { weight: 30, floor: 40 }, learned.factItems, fact),
  row('hub_freshness', 'CODE AS OF', { weight: 40 }, known.hubTime, text),
  row('hub_context', 'CODE', { weight: 80 }, known.hubItems, pair),
  row('extensions', 'MORE', { weight: known.extensionShare }, known.extensionItems, pair),
  row(
    'files',
    'FILES as they are now, lines that are known; some with their number before a bar',
    { weight: 30, floor: 20 },
    fileItems,
    fileLines,
  ),
  row('focus', 'IN FOCUS', { weight: 100 }, known.focusItems, focus),
  row('diagnostics', 'OPEN PROBLEMS', { weight: 250, floor: 60 }, learned.problemItems, text),
  row(
    'last_error',
    'LAST ERROR',
    { weight: 60 },
    known.textItems('last_error', '/delta/set_error'),
    lastError,
  ),
  row('recent_actions', 'STEPS', { weight: 260, floor: 110 }, stepItems, stepLines),
  row('candidate_actions', 'CANDIDATES', { weight: 150 }, known.candidateItems, candidate),
]
