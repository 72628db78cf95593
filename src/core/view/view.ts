import { TwotrackError } from '../../errors.ts'
import { plural } from '../../text/lines.ts'
import type { Settings } from '../event/event.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import { allocate } from './allocate.ts'
import { usualArgs } from './call.ts'
import { goalText } from './items.ts'
import { outlineOf } from './outline.ts'
import { interestOf, type Reader } from './reader.ts'
import { jsonLines, type OutlineLine } from './render.ts'
import { rows } from './rows.ts'
import { asField, type Desk, type Item, type Offer, offerOf, placeIn } from './section.ts'

/**
 * From the state to the text. `rows.ts` is the table of what a packet may show: each row makes items of a state
 * (`items.ts`, `learned.ts`, `files.ts`, `steps.ts`) and bids for tokens, `allocate.ts` divides these, `cut.ts` shortens
 * what gets less than it needs, `outline.ts` writes it down. The name stands in `run_start`: once released a view never
 * changes, for old logs must give the same bytes, and a better one gets a new name. Only arithmetic that every machine
 * rounds alike.
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

interface Filled extends View {
  readonly tokens: number
}

/** The view of a state: never above `limit` tokens as rendered, whatever the history. */
export function viewWithin(state: State, reader: Reader, limit: number): View {
  const desk = { state, reader, limit, interest: interestOf(state, reader) }
  const offers = rows.map((row) => offerOf(row, desk))
  const fill = (budget: number): Filled => {
    const view = filled(budget, desk, offers)
    return { ...view, tokens: tokensOf(render(view.packet, state.settings), limit, reader) }
  }
  const bare = fill(0)
  const free = limit - bare.tokens
  const whole = offers.flatMap(({ bids }) => bids).reduce((sum, { need }) => sum + need, 0)
  // What a packet takes as text is more or less than its lines were priced at: by how much, the last filling tells.
  // Lines are priced one by one; a whole text takes a little less.
  const first = Math.min(free + (free >> 5), whole)
  let [best, fits, exceeds, budget] = [bare, 0, Number.MAX_SAFE_INTEGER, first]
  for (let tries = 0; tries < TRIES_MAX && budget > fits && budget < exceeds; tries++) {
    const view = fill(budget)
    if (view.tokens > limit) exceeds = budget
    else {
      fits = budget
      if (view.tokens >= best.tokens) best = view
      if ((limit - view.tokens) * 100 <= limit * UNUSED_PERCENT_MAX) break
    }
    if (tries >= TRIES_ENOUGH && best.tokens * 100 >= limit * USED_PERCENT_ENOUGH) break
    const apt = Math.floor((budget * free) / Math.max(1, view.tokens - bare.tokens))
    // A little less than what would be just right: what is shown grows by whole items.
    const next = Math.min(whole, apt - (apt >> 6) - 4)
    budget = next > fits && next < exceeds ? next : (fits + Math.min(exceeds, whole)) >> 1
  }
  return best
}

function filled(budget: number, { state, reader }: Desk, offers: readonly Offer[]): View {
  const bids = offers.flatMap((offer) => offer.bids)
  const shown = new Map<Item<unknown>, unknown>()
  for (const [at, tokens] of allocate(budget, bids).entries()) bids[at]?.show(tokens, shown)
  const packet = pinnedPacket(state, reader)
  const told = new Map<string, (path: readonly string[]) => readonly Origin[]>()
  for (const { row, items } of offers) {
    const own = items.filter((item) => shown.has(item)).sort((a, b) => a.key - b.key)
    const values = own.map((item) => shown.get(item))
    // Each row shows what the schema says, which tests hold every packet against.
    if (own.length > 0) Object.assign(packet, { [row.field]: asField(row, values) })
    for (const [at, item] of own.entries())
      told.set([row.field, ...placeIn(row, values[at], at)].join('/'), (path) =>
        item.originsOf(path, values[at]),
      )
  }
  const omitted = leftOut(state, reader, packet)
  packet.omitted = omitted.map(([line]) => line)
  return {
    packet,
    originsOf([field = '', ...path]) {
      if (field === 'omitted')
        return (omitted[Number(path[0])]?.[1] ?? []).map((seq) => ({ seq, field: '/seq', counted: true }))
      const [first = '', ...rest] = path
      const origins = told.get(field)?.(path) ?? told.get(`${field}/${first}`)?.(rest) ?? []
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
  state: State,
  reader: Reader,
  packet: Packet,
): (readonly [line: string, refs: readonly number[]])[] {
  const without = (all: readonly { readonly ref: number }[], shown: readonly { readonly ref: number }[]) => {
    const refs = new Set(shown.map(({ ref }) => ref))
    return all.flatMap(({ ref }) => (refs.has(ref) ? [] : [ref]))
  }
  const { actions, forgotten, person, changed } = state
  const steps = without(actions, packet.recent_actions)
  const refs = [...new Set(forgotten ? [forgotten.first, forgotten.last, ...steps] : steps)]
  const unheard = without(person, packet.person)
  const told = new Set(packet.changed.map(({ path }) => path))
  const untold = changed.flatMap(({ ref, value }) => (told.has(value) ? [] : [ref]))
  const ends = (all: readonly number[]): string => `(#${[...new Set([all[0], all.at(-1)])].join('-#')})`
  const lines = [
    [`${plural(steps.length + (forgotten?.count ?? 0), 'earlier step')} ${ends(refs)}`, refs],
    [`${plural(unheard.length, 'more message')} of the person ${ends(unheard)}`, unheard],
    [plural(untold.length, 'more changed file'), untold],
    ...reader.once(actions, usualArgs).map(({ tool, name, value }) => {
      const calls = packet.recent_actions.filter((step) => step.tool === tool && step.call !== '')
      return [`${name}: ${value} (in each call of ${tool})`, calls.map(({ ref }) => ref)] as const
    }),
  ] as const
  return lines.filter(([, own]) => own.length > 0)
}

/** What stands in any case; refused at the start of a run when it does not fit. */
export function pinnedPacket(state: State, reader: Reader): Packet {
  const { agent_id, turn, operation, node, constraints, error_count } = state
  const goal = goalText(state, reader)
  return { ...EMPTY_PACKET, agent_id, turn, goal, operation, node, constraints, error_count }
}

function pinnedOrigins({ goal }: State, field: string, path: readonly string[]): Origin[] {
  if (field === 'goal') return [{ seq: goal.ref, field: goal.ref === 1 ? '/data/goal' : '/data/text' }]
  if (field === 'packet_version') return [{ seq: 1, field: '/data/settings/view' }]
  if (field === 'agent_id' || field === 'operation') return [{ seq: 1, field: `/${field}` }]
  const isGiven = field === 'node' || field === 'constraints'
  return isGiven ? [{ seq: 1, field: `/data/${[field, ...path].join('/')}` }] : []
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
