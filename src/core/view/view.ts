import { TwotrackError } from '../../errors.ts'
import { plural } from '../../text/lines.ts'
import { sanitizeLine } from '../../text/sanitize.ts'
import type { Settings } from '../event/event.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import { allocate } from './allocate.ts'
import { goalText, rootOf, withoutRoot } from './items.ts'
import { interestOf, type Reader } from './reader.ts'
import { bullet, indented, jsonLines, type OutlineLine } from './render.ts'
import type { Desk } from './row.ts'
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
const TRIES_ENOUGH = 4
const USED_PERCENT_ENOUGH = 95
/** Filling again is worth it when this part of the limit is unused, in percent. */
const UNUSED_PERCENT_MAX = 2

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
  const isJson = state.settings.rendering === 'json'
  const root = rootOf(state)
  const desk = { state, reader, limit, isJson, interest: interestOf(state, reader), root }
  const pinned = pinnedPacket(state, reader)
  const sections = rows.map((row) => ({ field: row.field, ...row.open(desk) }))
  const lists = sections.map(({ list }) => list)
  const singles = sections.flatMap((section) => section.singles)
  const claims = [...lists, ...singles]
  const fill = (budget: number) => {
    // Entries take what they need of their share; texts, which can be cut anywhere, divide the rest.
    const shares = allocate(budget, claims)
    const taken = sections.reduce((sum, section, at) => sum + section.taken(shares[at] ?? 0), 0)
    const given = allocate(budget - taken, singles)
    const filled: Record<string, unknown> = { ...pinned }
    let at = 0
    const shown = new Map(
      sections.map(({ field, singles: own, show }, index) => {
        const part = show(shares[index] ?? 0, given.slice(at, at + own.length))
        at += own.length
        if (part.value !== undefined) filled[field] = part.value
        return [field as string, part.originsOf]
      }),
    )
    // Each row puts what the schema says, which tests hold every packet against.
    const packet = filled as Packet
    const omitted = leftOut(desk, packet)
    packet.omitted = omitted.map(([line]) => line)
    shown.set('omitted', ([at]) =>
      (omitted[Number(at)]?.[1] ?? []).map((seq) => ({ seq, field: '/seq', counted: true })),
    )
    const isWhole =
      lists.every(({ need }, index) => need <= (shares[index] ?? 0)) &&
      singles.every(({ need }, index) => need <= (given[index] ?? 0))
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
    // By as much as it turned out smaller or larger, and by more each time; between what fitted and what did not, the middle.
    const less = Math.max(8 - Math.floor((spare * 5) / 4), Math.floor(((tries - 1) * budget) / 100))
    const next = spare < 0 ? budget - less : budget + spare - 4
    budget = next > least && next < most ? next : (least + most) >> 1
  }
  const { packet, shown } = best
  return {
    packet,
    originsOf: ([field = '', ...path]) => {
      const found = shown.get(field)?.(path) ?? []
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

/** What a packet does not show of what was done, and the events that each line stands for. */
function leftOut(
  { state: { actions, forgotten, person: said, changed: all, files: known }, root }: Desk,
  { recent_actions, person, changed, files: texts }: Packet,
): (readonly [line: string, refs: readonly number[]])[] {
  const shown = new Set(recent_actions.map(({ ref }) => ref))
  const hidden = actions.flatMap(({ ref }) => (shown.has(ref) ? [] : [ref]))
  const refs = [...new Set(forgotten ? [forgotten.first, forgotten.last, ...hidden] : hidden)]
  const count = hidden.length + (forgotten?.count ?? 0)
  const heard = new Set(person.map(({ ref }) => ref))
  const unheard = said.flatMap(({ ref }) => (heard.has(ref) ? [] : [ref]))
  const told = new Set(changed.map(({ path }) => path))
  const files = all.flatMap(({ ref, value }) => (told.has(withoutRoot(value, root)) ? [] : [ref]))
  const at = [
    ...all.map(({ value, ref }) => [value, ref] as const),
    ...Object.values(known).map(({ path, ref }) => [path, ref] as const),
  ]
  const below = [...new Set(at.flatMap(([path, ref]) => (path.startsWith(root) ? [ref] : [])))]
  const ends = (all: readonly number[]): string => `(#${[...new Set([all[0], all.at(-1)])].join('-#')})`
  // Where no path can stand its folder says nothing, and what stands in any case must leave space for these lines.
  const isCut = root !== '' && recent_actions.length + changed.length + texts.length > 0
  const lines = [
    [`${plural(count, 'earlier step')} ${ends(refs)}`, refs],
    [`${plural(unheard.length, 'more message')} of the person ${ends(unheard)}`, unheard],
    [plural(files.length, 'more changed file'), files],
    [`left out of paths: ${root}`, isCut ? below : []],
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
  return [
    ...indented(goal, 'GOAL: ', '  ', '/goal'),
    [`TASK: ${sanitizeLine(operation)}${on}, turn ${turn}${of}`, '/operation'],
    ...(rules.length > 0 ? [['RULES'] as const, ...rules] : []),
    ...rows.flatMap(({ title, outline }): OutlineLine[] => {
      const counts =
        title === 'STEPS' ? omitted.map((line, at): OutlineLine => [bullet(line), `/omitted/${at}`]) : []
      const lines = [...counts, ...outline(packet).map(unlikeHeading)]
      return lines.length === 0 ? [] : [[title], ...lines]
    }),
  ]
}

/** What we write begins with a mark or a space: a line that could be one of our headings is a tool's, and moved in. */
const unlikeHeading = (line: OutlineLine): OutlineLine => {
  const [text, path, part] = line
  const first = text.charCodeAt(0)
  const isCapital = first >= 65 && first <= 90
  return isCapital && (HEADINGS.has(text) || /^(?:GOAL|TASK):/.test(text)) ? [` ${text}`, path, part] : line
}
const HEADINGS: ReadonlySet<string> = new Set(['RULES', ...rows.flatMap(({ title }) => title || [])])
