import { cap } from '../../packet/caps.ts'
import type { Packet } from '../../packet/packet.ts'
import { PACKET_VERSION } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import { specificNames } from '../../text/names.ts'
import type { Count, View } from '../view.ts'
import { fill, partsOf } from './fill.ts'
import { fitter, GOAL, textOf } from './fit.ts'
import { interestOf } from './interest.ts'
import { renderJson } from './json.ts'
import { renderOutline } from './outline.ts'

/** What titles and the counts of what was left out may take. */
const HEADROOM_TOKENS = 48
/** Costs are overestimated by about this much. */
const FIRST_TRY_PERCENT = 107
const TRIES_MAX = 4
/** Filling again is worth it when this part of the limit is unused, in percent. */
const UNUSED_PERCENT_MAX = 6

/**
 * The desk of someone at work. Goal, rules and task stand in any case; everything else asks for what it needs and gets
 * it while there is room, and by weight where there is not (fill.ts). Costs are added up line by line, which
 * overestimates, so the whole text is counted, and the packet filled again where that leaves much unused or is over.
 */
const deskView = (render: (packet: Packet) => string): View => ({
  render,
  pinned: pinnedPacket,
  packet(state, count, limit) {
    const pinned = pinnedPacket(state, count)
    let best = pinned
    let bestBudget = 0
    let bestTokens = count(render(pinned))
    let budget = Math.floor(((limit - bestTokens - HEADROOM_TOKENS) * FIRST_TRY_PERCENT) / 100)
    let tooMuch = Number.MAX_SAFE_INTEGER
    const parts = partsOf(state, count, limit)
    for (let tries = 1; budget > 0; tries++) {
      const { packet, whole } = fill(parts, pinned, budget)
      const tokens = count(render(packet))
      const spare = limit - tokens
      if (spare < 0) tooMuch = Math.min(tooMuch, budget)
      else if (tokens > bestTokens) {
        best = packet
        bestBudget = budget
        bestTokens = tokens
      }
      if (spare >= 0 && (whole || spare * 100 <= limit * UNUSED_PERCENT_MAX)) return packet
      if (tries >= TRIES_MAX && (spare >= 0 || bestBudget > 0)) break
      // By as much as it turned out smaller or larger; between what fitted and what did not, the middle.
      const next = Math.floor((budget * limit) / tokens) - 8
      budget = next < tooMuch && tries < TRIES_MAX ? next : (bestBudget + tooMuch) >> 1
    }
    // What comes in large pieces left much unused: lines of earlier steps are small.
    const { packet } = fill(parts, pinned, bestBudget, limit - bestTokens)
    return count(render(packet)) <= limit ? packet : best
  },
})

/** A goal is shown whole unless the run was told to make do with less: then its beginning, and what is at hand. */
function goalText(state: State, count: Count): string {
  const lines = state.goal.value.split('\n')
  // Asked for only where the goal is too long.
  let interest: ReadonlyMap<string, number> | undefined
  const ofLine = (line: string): number => {
    interest ??= goalInterest(state, lines)
    return interest.get(line) ?? 0
  }
  return textOf(fitter(lines, count, [], ofLine, GOAL)(cap(state.settings, 'goal_tokens')))
}

/** How much each line of a goal is at hand: by its names, each for less the more lines have it. */
function goalInterest(state: State, lines: readonly string[]): ReadonlyMap<string, number> {
  const interest = interestOf(state, 0)
  const names = new Map(lines.map((line) => [line, specificNames(line)]))
  const lineCounts = new Map<string, number>()
  for (const name of [...names.values()].flat()) lineCounts.set(name, (lineCounts.get(name) ?? 0) + 1)
  return new Map(
    [...names].map(([line, own]) => [
      line,
      own.reduce((sum, name) => sum + Math.floor((interest(name) * 3) / (lineCounts.get(name) ?? 1)), 0),
    ]),
  )
}

export const desk1 = { outline: deskView(renderOutline), json: deskView(renderJson) }

function pinnedPacket(state: State, count: Count): Packet {
  return {
    packet_version: PACKET_VERSION,
    agent_id: state.agent_id,
    turn: state.turn,
    goal: goalText(state, count),
    operation: state.operation,
    node: state.node,
    constraints: state.constraints,
    person: [],
    node_summary: '',
    state_summary: '',
    plan: [],
    earlier: [],
    changed: [],
    index: [],
    knowledge: {},
    hub_context: null,
    hub_freshness: null,
    extensions: {},
    files: [],
    focus: null,
    thoughts: [],
    recent_actions: [],
    diagnostics: [],
    failed_attempts: [],
    last_error: null,
    error_count: state.error_count,
    candidate_actions: [],
    omitted: [],
  }
}
