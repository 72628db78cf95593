import { TwotrackError } from '../../errors.ts'
import { plural } from '../../text/lines.ts'
import { sanitizeLine } from '../../text/sanitize.ts'
import type { Settings } from '../event/event.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import { allocate } from './allocate.ts'
import { folderIn, lineBelow } from './folder.ts'
import { goalText } from './goal.ts'
import { interestOf, type Reader } from './reader.ts'
import { bullet, escaped, indented, jsonLines, type OutlineLine } from './render.ts'
import {
  choose,
  type Desk,
  entriesIn,
  entriesOf,
  entriesShown,
  type Offer,
  offerOf,
  originsIn,
  type Section,
  type Shown,
} from './section.ts'
import { rows } from './sections.ts'

/**
 * From the state to the text, in the order in which one reads it: `sections.ts` is the table of what a packet may show,
 * `allocate.ts` divides the tokens among it, `cut.ts` shortens what gets less than it needs, `render.ts` writes it down.
 * The name stands in `run_start`: once released a view never changes, for old logs must give the same bytes, and a
 * better one gets a new name. Integer arithmetic only.
 */
export const VIEW = 'desk'

/** Filling again is worth it when more than this part of the limit is unused, in percent. */
const UNUSED_PERCENT_MAX = 2
/** So many times at the most, and fewer where most of the limit is used. */
const TRIES_MAX = 8
const TRIES_ENOUGH = 3
const USED_PERCENT_ENOUGH = 95
/** Larger packets are counted by their lines, most of which were in the packet before: a few in a hundred too many. */
const WHOLE_TOKENS_MAX = 16_000

/** A packet, and the fields of events that a value in it comes from. */
export interface View {
  readonly packet: Packet
  originsOf(path: readonly string[]): readonly Origin[]
}

/** The view of a state: never above `limit` tokens as rendered, whatever the history. */
export function viewWithin(state: State, reader: Reader, limit: number): View {
  const sections = offersOf({ state, reader, limit, interest: interestOf(state, reader) })
  const fill = (budget: number): Filled => {
    const filled = filledWithin(budget, state, reader, sections)
    return { ...filled, tokens: tokensOf(render(filled.packet, state.settings), limit, reader) }
  }
  const bare = fill(0)
  const free = limit - bare.tokens
  const whole = sections
    .flatMap(({ claim, texts }) => [claim, ...texts])
    .reduce((sum, { need }) => sum + need, 0)
  // What a packet takes as text is more or less than its lines were priced at: by how much, the last filling tells.
  let [best, fits, exceeds, budget] = [bare, 0, Number.MAX_SAFE_INTEGER, Math.min(free, whole)]
  for (let tries = 0; tries < TRIES_MAX && budget > fits && budget < exceeds; tries++) {
    const filled = fill(budget)
    if (filled.tokens > limit) exceeds = budget
    else {
      fits = budget
      if (filled.tokens >= best.tokens) best = filled
      if ((limit - filled.tokens) * 100 <= limit * UNUSED_PERCENT_MAX) break
    }
    if (tries >= TRIES_ENOUGH && best.tokens * 100 >= limit * USED_PERCENT_ENOUGH) break
    const apt = Math.floor((budget * free) / Math.max(1, filled.tokens - bare.tokens))
    // A little less than what would be just right: what is shown grows by whole entries.
    const next = Math.min(whole, apt - (apt >> 6) - 4)
    budget = next > fits && next < exceeds ? next : (fits + Math.min(exceeds, whole)) >> 1
  }
  return best
}

interface Filled extends View {
  readonly tokens: number
}

const offersOf = (desk: Desk): readonly Offer[] => rows.map((section) => offerOf(section, desk))

/** Entries take what they need of their section's share; texts, which can be cut anywhere, divide the rest. */
function filledWithin(budget: number, state: State, reader: Reader, sections: readonly Offer[]): View {
  const texts = sections.flatMap((section) => section.texts)
  const shares = allocate(budget, [...sections.map(({ claim }) => claim), ...texts])
  const chosen = sections.map((section) => ({
    section,
    choice: choose(section, shares.get(section.claim) ?? 0),
  }))
  const taken = chosen.reduce((sum, { choice }) => sum + choice.tokens, 0)
  const given = allocate(budget - taken, texts)
  const packet = pinnedPacket(state, reader)
  const shown = new Map<string, readonly Shown[]>()
  for (const { section, choice } of chosen) {
    const row = section.section
    const entries = entriesShown(section, choice, given)
    shown.set(row.field, entries)
    // Each row shows what the schema says, which tests hold every packet against.
    if (entries.length > 0) Object.assign(packet, { [row.field]: entriesOf(row, entries) })
  }
  const omitted = leftOut(state, packet)
  packet.omitted = omitted.map(([line]) => line)
  return {
    packet,
    originsOf([field = '', ...path]) {
      if (field === 'omitted')
        return (omitted[Number(path[0])]?.[1] ?? []).map((seq) => ({ seq, field: '/seq', counted: true }))
      const row = rows.find((one) => one.field === field)
      const origins = row ? originsIn(row, shown.get(field) ?? [], path) : []
      return origins.length > 0 ? origins : pinnedOrigins(state, field, path)
    },
  }
}

function tokensOf(text: string, limit: number, { count }: Reader): number {
  if (limit <= WHOLE_TOKENS_MAX) return count(text)
  return text.split('\n').reduce((sum, line) => sum + count(line) + 1, 0)
}

/** What a packet does not show of what was done, and the events that each line stands for. */
function leftOut(
  { actions, forgotten, person: said, changed: files }: State,
  { recent_actions, person, changed }: Packet,
): (readonly [line: string, refs: readonly number[]])[] {
  const without = (all: readonly { readonly ref: number }[], shown: readonly { readonly ref: number }[]) => {
    const refs = new Set(shown.map(({ ref }) => ref))
    return all.flatMap(({ ref }) => (refs.has(ref) ? [] : [ref]))
  }
  const steps = without(actions, recent_actions)
  const refs = [...new Set(forgotten ? [forgotten.first, forgotten.last, ...steps] : steps)]
  const unheard = without(said, person)
  const told = new Set(changed.map(({ path }) => path))
  const untold = files.flatMap(({ ref, value }) => (told.has(value) ? [] : [ref]))
  const ends = (all: readonly number[]): string => `(#${[...new Set([all[0], all.at(-1)])].join('-#')})`
  const lines = [
    [`${plural(steps.length + (forgotten?.count ?? 0), 'earlier step')} ${ends(refs)}`, refs],
    [`${plural(unheard.length, 'more message')} of the person ${ends(unheard)}`, unheard],
    [plural(untold.length, 'more changed file'), untold],
  ] as const
  return lines.filter(([, own]) => own.length > 0)
}

/** What stands in any case; refused at the start of a run when it does not fit. */
export function pinnedPacket(state: State, reader: Reader): Packet {
  const { agent_id, turn, operation, node, constraints, error_count } = state
  return {
    ...EMPTY_PACKET,
    agent_id,
    turn,
    goal: goalText(state, reader),
    operation,
    node,
    constraints,
    error_count,
  }
}

function pinnedOrigins(state: State, field: string, path: readonly string[]): Origin[] {
  const at = (seq: number, pointer: string): Origin[] => [{ seq, field: pointer }]
  switch (field) {
    case 'goal':
      return at(state.goal.ref, state.goal.ref === 1 ? '/data/goal' : '/data/text')
    case 'packet_version':
      return at(1, '/data/settings/view')
    case 'node':
    case 'constraints':
      return at(1, `/data/${[field, ...path].join('/')}`)
    case 'agent_id':
    case 'operation':
      return at(1, `/${field}`)
    default:
      return []
  }
}

/** The text of a packet. Throws `unknown_view` for a run whose view is not known here. */
export const render = (packet: Packet, settings: Pick<Settings, 'view' | 'rendering'>): string =>
  linesOf(packet, settings)
    .map(([text]) => text)
    .join('\n')

/** The same line by line, each with the place in the packet that it shows. */
export function linesOf(
  packet: Packet,
  { view, rendering }: Pick<Settings, 'view' | 'rendering'>,
): OutlineLine[] {
  assertView(view)
  return rendering === 'json' ? jsonLines(packet) : outlineOf(packet)
}

export function assertView(view: string): void {
  if (view === VIEW) return
  throw new TwotrackError(
    'unknown_view',
    `This log shows its packets in the view ${JSON.stringify(view)}, which is not known here (known: ${VIEW}). ` +
      'Read it with the version that wrote it.',
    { details: { view } },
  )
}

export const renderOutline = (packet: Packet): string =>
  outlineOf(packet)
    .map(([text]) => text)
    .join('\n')

/**
 * The packet as an outline. Headings stand at the margin in capitals; everything that a tool, a model or the hub said is
 * indented, numbered or behind a bullet, so that it can't pose as a goal or a rule.
 */
function outlineOf(packet: Packet): OutlineLine[] {
  const { goal, operation, node, turn, constraints, omitted } = packet
  const of = constraints.max_turns === null ? '' : ` of ${constraints.max_turns}`
  const on = node.id === '-' ? '' : ` on ${sanitizeLine(node.id)} (${sanitizeLine(node.type)})`
  const rules = constraints.safety.map((rule, at): OutlineLine => [bullet(rule), `/constraints/safety/${at}`])
  const folder = folderIn(packet)
  return [
    ...indented(goal, 'GOAL: ', '  ', '/goal'),
    [`TASK: ${sanitizeLine(operation)}${on}, turn ${turn}${of}`, '/operation'],
    ...(folder === '' ? [] : [[`  (paths below ${sanitizeLine(folder)})`] as const]),
    ...(rules.length > 0 ? [['RULES'] as const, ...rules] : []),
    ...rows.flatMap((row): OutlineLine[] => {
      const counts =
        row.title === 'STEPS' ? omitted.map((line, at): OutlineLine => [bullet(line), `/omitted/${at}`]) : []
      const lines = [...counts, ...linesIn(row, packet).map((line) => unlikeHeading(lineBelow(line, folder)))]
      return lines.length === 0 ? [] : [[row.title], ...lines]
    }),
  ]
}

/** The lines of a section, and where in the packet each stands. */
const linesIn = (row: Section<unknown>, packet: Packet): OutlineLine[] =>
  entriesIn(row, packet[row.field]).flatMap(([at, entry]) => {
    const place = `/${row.field}${at === '' ? '' : `/${escaped(at)}`}`
    return row
      .lines(entry, packet)
      .map(([text, path, part]): OutlineLine => [text, path ? `${place}/${path}` : place, part])
  })

/** What we write begins with a mark or a space: a line that could be one of our headings is a tool's, and moved in. */
const unlikeHeading = (line: OutlineLine): OutlineLine => {
  const [text, path, part] = line
  const first = text.charCodeAt(0)
  const isCapital = first >= 65 && first <= 90
  return isCapital && (HEADINGS.has(text) || /^(?:GOAL|TASK):/.test(text)) ? [` ${text}`, path, part] : line
}
const HEADINGS: ReadonlySet<string> = new Set(['RULES', ...rows.flatMap(({ title }) => title || [])])
