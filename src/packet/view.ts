import { TwotrackError } from '../errors.ts'
import { cap } from '../text/cut.ts'
import { chooseKnowledge, type Offers, offersOf } from './choose.ts'
import type { Measure } from './measure.ts'
import { PACKET_VERSION, type Packet } from './packet.ts'
import { Room } from './room.ts'
import {
  fillCandidates,
  fillExtensions,
  fillFocus,
  fillHub,
  fillLines,
  fillWindow,
  wholeText,
} from './sections.ts'
import type { State } from './state.ts'

/** Room that the pinned parts must leave: counters grow, and what was left out has to be said. */
export const HEADROOM_TOKENS = 48
const TRIES_MAX = 4
const SPARE_TOKENS_MAX = 24

/**
 * The bound: the packet of a state, never above `limit` tokens as rendered. The pinned parts (goal,
 * constraints, node, operation) always stand; everything else is taken in the order below while it fits, so
 * the eviction order is this order read backwards. Sections have shares, lest one crowd out the rest.
 *
 *  1 last error · 2 newest action · 3 state summary · 4 first candidates · 5 open problems · 6 failed attempts
 *  7 hub context · 8 extensions · 9 focus · 10 actions of the window · 11 node summary · 12 knowledge
 *
 * Costs are counted piece by piece, which overestimates; the whole text is counted at the end, and the packet is
 * filled again where that left much unused, or in the rare case that it is over.
 */
export function view(state: State, measure: Measure, limit: number): Packet {
  const pinned = pinnedPacket(state)
  const offers = offersOf(state)
  let room = limit - measure.tokens(measure.render(pinned))
  let best = pinned
  let bestTokens = 0
  for (let tries = 0; tries < TRIES_MAX && room > 0; tries++) {
    const packet = fill(state, offers, pinned, new Room(room, measure))
    const tokens = measure.tokens(measure.render(packet))
    const spare = limit - tokens
    if (spare >= 0 && tokens > bestTokens) {
      best = packet
      bestTokens = tokens
    }
    // Over the limit: less room. Much of it unused, since costs were overestimated: a little more room.
    if (spare >= 0 && (spare < SPARE_TOKENS_MAX || tokens < bestTokens || room > limit * 2)) break
    room += spare < 0 ? spare - HEADROOM_TOKENS : spare
  }
  return best
}

/** Refuses a run whose pinned parts leave no room, with the numbers. */
export function assertPinnedFits(state: State, measure: Measure, limit: number, toolTokens: number): void {
  const tokens = measure.tokens(measure.render(pinnedPacket(state)))
  if (tokens + HEADROOM_TOKENS <= limit) return
  throw new TwotrackError(
    'budget_too_small',
    `Goal and constraints take ${tokens} tokens and need ${HEADROOM_TOKENS} more as headroom, but the packet may ` +
      `have ${Math.max(0, limit)} (packet_size_limit ${state.settings.packet_size_limit}, prompt_budget ` +
      `${state.settings.prompt_budget} less ${toolTokens} for instructions and tools). ` +
      'Raise the limits, shorten the goal or declare fewer tools.',
    { details: { tokens, limit, toolTokens } },
  )
}

function pinnedPacket(state: State): Packet {
  return {
    packet_version: PACKET_VERSION,
    agent_id: state.agent_id,
    turn: state.turn,
    goal: state.goal.value,
    operation: state.operation,
    node: state.node,
    node_summary: '',
    state_summary: '',
    recent_actions: [],
    knowledge: {},
    focus: null,
    diagnostics: [],
    failed_attempts: [],
    last_error: null,
    error_count: state.error_count,
    candidate_actions: [],
    constraints: state.constraints,
    hub_context: null,
    hub_freshness: null,
    extensions: {},
    omitted: [],
  }
}

function fill(state: State, offers: Offers, pinned: Packet, room: Room): Packet {
  const { settings } = state
  room.left -= HEADROOM_TOKENS
  const last_error = wholeText(state.last_error?.value, room, room.share(0.15))
  const newest = fillWindow(state.actions.slice(-1), room, room.share(0.25))
  const state_summary = wholeText(state.state_summary?.value, room, room.share(0.15)) ?? ''
  const candidate_actions = fillCandidates(state.candidates?.value ?? [], room, room.share(0.2))
  const diagnostics = fillLines(state.diagnostics, room, room.share(0.2))
  const failed_attempts = fillLines(state.failed_attempts, room, room.share(0.04))
  const hub = fillHub(state.hub, room, room.share(0.2))
  const extensions = fillExtensions(state.extensions, settings, room)
  const focus = fillFocus(state.focus, room, room.share(0.3))
  const windowSize = cap(settings, 'window_actions')
  const older = newest.length === 0 ? [] : state.actions.slice(-windowSize, -1)
  const recent_actions = [...fillWindow(older, room, room.share(0.25)), ...newest]
  const node_summary = wholeText(state.node_summary, room, room.share(0.1)) ?? ''
  const knowledge = chooseKnowledge(state, offers, room, [
    ...recent_actions.map((action) => action.summary),
    ...diagnostics,
    focus?.text ?? '',
  ])
  return {
    ...pinned,
    last_error,
    state_summary,
    candidate_actions,
    diagnostics,
    failed_attempts,
    ...hub,
    extensions,
    focus,
    recent_actions,
    node_summary,
    knowledge,
    omitted: omittedFrom(state, { recent_actions, knowledge, diagnostics, failed_attempts }),
  }
}

/** Says what a packet does not show, and where to find it. */
function omittedFrom(
  state: State,
  shown: Pick<Packet, 'recent_actions' | 'knowledge' | 'diagnostics' | 'failed_attempts'>,
): string[] {
  const omitted: string[] = []
  const hidden = state.actions.slice(0, state.actions.length - shown.recent_actions.length)
  const actions = hidden.length + (state.forgotten?.count ?? 0)
  if (actions > 0) {
    const first = state.forgotten?.first ?? hidden[0]?.ref
    const last = hidden.at(-1)?.ref ?? state.forgotten?.last
    omitted.push(`+${actions} older actions (#${first}-#${last})`)
  }
  const entries = Object.keys(state.knowledge).length - Object.keys(shown.knowledge).length
  const known = entries + state.knowledge_forgotten
  if (known > 0) omitted.push(`+${known} known things`)
  const problems = state.diagnostics.length - shown.diagnostics.length
  if (problems > 0) omitted.push(`+${problems} open problems`)
  const failed = state.failed_attempts.length - shown.failed_attempts.length
  if (failed > 0) omitted.push(`+${failed} failed attempts`)
  return omitted
}
