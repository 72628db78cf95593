import { cap } from '../../packet/caps.ts'
import { EMPTY_PACKET, type Packet } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import type { Reader, View } from '../view.ts'
import { fill, partsOf } from './fill.ts'
import { fitter, GOAL, textOf } from './fit.ts'
import { interestOf } from './interest.ts'
import { renderJson } from './json.ts'
import { renderOutline } from './outline.ts'

/** What titles and the counts of what was left out may take. */
const HEADROOM_TOKENS = 48
/** Costs are overestimated by about this much. */
const FIRST_TRY_PERCENT = 107
/** So many tries at the most, and fewer where most of the limit is used. */
const TRIES_MAX = 8
const TRIES_ENOUGH = 4
const USED_PERCENT_ENOUGH = 90
/** It is enough to come this close. */
const CLOSE_TOKENS = 8
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
  packet(state, reader, limit) {
    const { count } = reader
    const pinned = pinnedPacket(state, reader)
    const parts = partsOf(state, reader, limit)
    let best = { packet: pinned, budget: 0, tokens: count(render(pinned)) }
    let budget = Math.floor(((limit - best.tokens - HEADROOM_TOKENS) * FIRST_TRY_PERCENT) / 100)
    let tooMuch = Number.MAX_SAFE_INTEGER
    const withMoreOfGoal = (packet: Packet, spare: number): Packet => {
      if (packet.goal === state.goal.value || spare <= CLOSE_TOKENS) return packet
      const fuller = { ...packet, goal: goalText(state, reader, goalTokens(state) + spare) }
      return count(render(fuller)) <= limit ? fuller : withMoreOfGoal(packet, (spare * 7) >> 3)
    }
    const most = () => (best.tokens * 100 < limit * USED_PERCENT_ENOUGH ? TRIES_MAX : TRIES_ENOUGH)
    for (let tries = 0; tries < most() && budget > best.budget && budget < tooMuch; tries++) {
      const { packet, whole } = fill(parts, pinned, budget)
      const tokens = count(render(packet))
      const spare = limit - tokens
      if (spare < 0) tooMuch = budget
      else if (whole) return withMoreOfGoal(packet, spare)
      else if (spare * 100 <= limit * UNUSED_PERCENT_MAX) return packet
      else if (tokens > best.tokens) best = { packet, budget, tokens }
      // By as much as it turned out smaller or larger; between what fitted and what did not, the middle.
      const next = budget + spare - CLOSE_TOKENS + (spare < 0 ? spare >> 2 : 0)
      budget = next > best.budget && next < tooMuch ? next : (best.budget + tooMuch) >> 1
    }
    // What comes in large pieces left much unused: lines of earlier steps and of the goal are small.
    for (let spare = limit - best.tokens; spare > CLOSE_TOKENS; spare = Math.floor((spare * 2) / 3)) {
      const { packet } = fill(parts, pinned, best.budget, spare)
      const tokens = count(render(packet))
      if (tokens <= limit) return withMoreOfGoal(packet, limit - tokens)
    }
    return withMoreOfGoal(best.packet, limit - best.tokens)
  },
})

const goalTokens = ({ settings }: State): number => cap(settings, 'goal_tokens')

/** A goal is shown whole unless the run was told to make do with less: then both ends, and what is at hand. */
function goalText(state: State, { count }: Reader, tokens = goalTokens(state)): string {
  // Every line of the goal speaks of the goal.
  const interest = interestOf({ ...state, goal: { ...state.goal, value: '' } })
  return textOf(fitter(state.goal.value.split('\n'), count, [], interest, GOAL)(tokens))
}

export const desk1 = { outline: deskView(renderOutline), json: deskView(renderJson) }

function pinnedPacket(state: State, reader: Reader): Packet {
  const { agent_id, turn, operation, node, constraints, error_count } = state
  const goal = goalText(state, reader)
  return { ...EMPTY_PACKET, agent_id, turn, goal, operation, node, constraints, error_count }
}
