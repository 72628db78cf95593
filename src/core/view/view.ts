import { TwotrackError } from '../../errors.ts'
import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import type { Settings } from '../event/event.ts'
import { canonical, type Json } from '../event/json.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import { allocate } from './allocate.ts'
import { interestOf } from './interest.ts'
import { goalText, leftOut } from './items.ts'
import type { Reader } from './reader.ts'
import { bullet, indented, lineCost } from './render.ts'
import type { Desk, Shown } from './row.ts'
import { rows } from './sections.ts'

/**
 * From the state to the text, in the order in which one reads it: `sections.ts` is the table of what a packet may show,
 * `allocate.ts` divides the tokens among it, `cut.ts` shortens what gets less than it needs, `render.ts` writes it down.
 * The name stands in `run_start`: once released a view never changes, for old logs must give the same bytes, and a
 * better one gets a new name. Integer arithmetic only.
 */
export const VIEW = 'desk'

/** What titles and the counts of what was left out may take. */
const HEADROOM_TOKENS = 40
/** Costs are overestimated by about this much. */
const FIRST_TRY_PERCENT = 106
/** So many tries at the most, and fewer where most of the limit is used. */
const TRIES_MAX = 10
const TRIES_ENOUGH = 3
const USED_PERCENT_ENOUGH = 90
/** Filling again is worth it when this part of the limit is unused, in percent. */
const UNUSED_PERCENT_MAX = 5

/** A packet, and the fields of events that a value in it comes from. */
export interface View {
  readonly packet: Packet
  originsOf(path: readonly string[]): readonly Origin[]
}

/**
 * The view of a state: never above `limit` tokens as rendered, whatever the history. Costs are added up line by line,
 * which overestimates, so the whole text is counted, and the packet filled again where that leaves much unused.
 */
export function viewWithin(state: State, reader: Reader, limit: number): View {
  const { rendering } = state.settings
  const desk: Desk = {
    ...{ state, reader, limit, isJson: rendering === 'json' },
    cost: lineCost(rendering, reader),
    interest: interestOf(state, reader),
  }
  const pinned = pinnedPacket(state, reader)
  const sections = rows.map((row) => ({ field: row.field, ...row.open(desk) }))
  const claims = sections.flatMap((section) => section.claims)
  const fill = (budget: number) => {
    const given = allocate(budget, claims)
    const packet: Packet = { ...pinned }
    const shown = new Map<string, Shown>()
    let at = 0
    for (const { field, claims: own, show } of sections) {
      shown.set(field, show(given.slice(at, at + own.length), packet))
      at += own.length
    }
    packet.omitted = leftOut(state, packet)
    const isWhole = claims.every(({ need }, index) => need <= (given[index] ?? 0))
    return { packet, shown, isWhole, tokens: tokensOf(render(packet, state.settings), limit, reader) }
  }
  let best = fill(0)
  let [least, most] = [0, Number.MAX_SAFE_INTEGER]
  let budget = Math.floor(((limit - best.tokens - HEADROOM_TOKENS) * FIRST_TRY_PERCENT) / 100)
  for (let tries = 1; tries <= TRIES_MAX && budget > least && budget < most; tries++) {
    const filled = fill(budget)
    const spare = limit - filled.tokens
    if (spare < 0) most = budget
    else {
      least = budget
      if (filled.tokens >= best.tokens) best = filled
      if (filled.isWhole || spare * 100 <= limit * UNUSED_PERCENT_MAX) break
    }
    if (tries >= TRIES_ENOUGH && best.tokens * 100 >= limit * USED_PERCENT_ENOUGH) break
    // By as much as it turned out smaller or larger; between what fitted and what did not, the middle.
    const next = budget + spare + (spare < 0 ? (spare >> 2) - 8 : -4)
    budget = next > least && next < most ? next : (least + most) >> 1
  }
  const { packet, shown } = best
  return {
    packet,
    originsOf: ([field = '', ...path]) => {
      const found = shown.get(field)?.originsOf(path) ?? []
      return found.length > 0 ? found : pinnedOrigins(state, field, path)
    },
  }
}

/** Larger packets are counted by their lines, most of which were in the packet before: a few in a hundred too many. */
const WHOLE_TOKENS_MAX = 16_000

function tokensOf(text: string, limit: number, { count }: Reader): number {
  if (limit <= WHOLE_TOKENS_MAX) return count(text)
  return text.split('\n').reduce((sum, line) => sum + count(line) + 1, 0)
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
export function render(packet: Packet, { view, rendering }: Pick<Settings, 'view' | 'rendering'>): string {
  assertView(view)
  return rendering === 'json' ? renderJson(packet) : renderOutline(packet)
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

/**
 * The packet as an outline. Headings stand at the margin in capitals; everything that a tool, a model or the hub said is
 * indented, numbered or behind a bullet, so that it can't pose as a goal or a rule.
 */
export function renderOutline(packet: Packet): string {
  const { goal, operation, node, turn, constraints, omitted } = packet
  const of = constraints.max_turns === null ? '' : ` of ${constraints.max_turns}`
  const on = node.id === '-' ? '' : ` on ${sanitizeLine(node.id)} (${sanitizeLine(node.type)})`
  return [
    ...indented(`GOAL: ${goal}`),
    `TASK: ${sanitizeLine(operation)}${on}, turn ${turn}${of}`,
    ...(constraints.safety.length > 0 ? ['RULES', ...constraints.safety.map(bullet)] : []),
    ...rows.flatMap(({ title, linesOf }) => {
      const lines = [...(title === 'STEPS' ? omitted.map(bullet) : []), ...linesOf(packet).map(unlikeHeading)]
      return lines.length === 0 ? [] : [title, ...lines]
    }),
  ].join('\n')
}

/** What we write begins with a mark or a space: a line that could be one of our headings is a tool's, and moved in. */
const unlikeHeading = (line: string): string => {
  const first = line.charCodeAt(0)
  const isCapital = first >= 65 && first <= 90
  return isCapital && (HEADINGS.has(line) || /^(?:GOAL|TASK):/.test(line)) ? ` ${line}` : line
}
const HEADINGS: ReadonlySet<string> = new Set(['RULES', ...rows.flatMap(({ title }) => title || [])])

/** The packet as JSON, one field a line, empty fields left out; line breaks inside strings stay escaped. */
function renderJson(packet: Packet): string {
  const fields = Object.entries(packet).filter(([, value]) => !isEmpty(value))
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${canonical(clean(value))}`).join(',\n')}}`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function clean(value: Json): Json {
  if (typeof value === 'string') return sanitizeText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(clean)
  const fields = Object.entries(value).filter(([, field]) => !isEmpty(field))
  return Object.fromEntries(fields.map(([key, field]) => [sanitizeLine(key), clean(field)]))
}
