import { canonical, isObject, type Json } from '../event/json.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import { fileItems, fileLines } from './files.ts'
import { goalItems } from './goal.ts'
import {
  attemptItems,
  candidateItems,
  changeItems,
  errorItems,
  extensionItems,
  extensionShare,
  factItems,
  findingItems,
  focusItems,
  hubItems,
  hubTime,
  personItems,
  planItems,
  problemItems,
  textItems,
  toldItems,
} from './items.ts'
import { bullet, indented, type OutlineLine, plain } from './render.ts'
import type { Desk, Item, Section, Share } from './section.ts'
import { saysError, stepItems, stepLines } from './steps.ts'

type Lines<Entry> = (entry: Entry, packet?: Packet) => readonly OutlineLine[]

/** A row of the table, which does not know what its entries are: only the row itself is given them. */
function row<Entry>(
  field: keyof Packet,
  title: string,
  share: Share,
  items: (desk: Desk) => readonly Item<Entry>[],
  lines: Lines<Entry>,
): Section<unknown> {
  const empty = EMPTY_PACKET[field]
  const shape = Array.isArray(empty) ? 'list' : isObject(empty) ? 'record' : 'one'
  const section: Section<Entry> = { field, title, shape, ...share, items, lines }
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
  row('goal', '', { weight: 0 }, goalItems, () => []),
  row('person', 'THE PERSON SAID', { weight: 250, floor: 120, floorTokens: 64 }, personItems, said),
  row('told', 'YOU TOLD THEM', { weight: 120, floor: 60 }, toldItems, said),
  row('node_summary', 'NODE', { weight: 40 }, textItems('node_summary'), text),
  row('state_summary', 'STATE', { weight: 60 }, textItems('state_summary'), text),
  row('plan', 'PLAN', { weight: 300 }, planItems, planned),
  row('changed', 'CHANGED SO FAR', { weight: 100, floor: 100, tokensPerFirst: 256 }, changeItems, changed),
  row('conclusions', 'FOUND OUT AND DECIDED', { weight: 120, floor: 135 }, findingItems, ({ text }) => [
    [bullet(text), 'text'],
  ]),
  row('failed_attempts', 'FAILED BEFORE', { weight: 50, floor: 90 }, attemptItems, text),
  row('knowledge', 'KNOWN', { weight: 30, floor: 40 }, factItems, fact),
  row('hub_freshness', 'CODE AS OF', { weight: 40 }, hubTime, text),
  row('hub_context', 'CODE', { weight: 80 }, hubItems, pair),
  row('extensions', 'MORE', { weight: extensionShare }, extensionItems, pair),
  row(
    'files',
    'FILES as they are now, lines that are known; some with their number before a bar',
    { weight: 30, floor: 10 },
    fileItems,
    fileLines,
  ),
  row('focus', 'IN FOCUS', { weight: 100 }, focusItems, focus),
  row('diagnostics', 'OPEN PROBLEMS', { weight: 250, floor: 60 }, problemItems, text),
  row('last_error', 'LAST ERROR', { weight: 60 }, errorItems, lastError),
  row('recent_actions', 'STEPS', { weight: 260, floor: 110 }, stepItems, stepLines),
  row('candidate_actions', 'CANDIDATES', { weight: 150 }, candidateItems, candidate),
]
