import { TwotrackError } from '../../errors.ts'
import type { ToolDeclaration } from '../event/event.ts'
import { canonical } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import type { Reader } from './reader.ts'
import { assertView, pinnedPacket, render, type View, viewWithin } from './view.ts'

/** What a model is given: the text, and beside it the declarations of the tools it may call. */
export interface Prompt {
  readonly instructions: string
  /** The packet as it is shown. */
  readonly body: string
  /** Instructions, a blank line and the body; for models that take them apart they stand above. */
  readonly text: string
  readonly declarations: string
  readonly packet: Packet
  /** Of text and declarations together. */
  readonly tokens: number
}

/** Between instructions and packet. */
const BLANK_LINE_TOKENS = 2
/** What the pinned parts must leave: counters grow, and what was left out has to be said. */
const HEADROOM_TOKENS = 48

/** The packet of a state within both limits: its own, and what instructions and tools leave of the whole prompt. */
export function packetOf(state: State, reader: Reader): Packet {
  return viewOf(state, reader).packet
}

/** The same with where each of its values comes from. */
export function viewOf(state: State, reader: Reader): View {
  assertView(state.settings.view)
  return viewWithin(state, reader, limitOf(state, reader).limit)
}

export function promptOf(state: State, reader: Reader): Prompt {
  return promptFrom(packetOf(state, reader), state, reader)
}

/** The prompt of a packet that was already made of this state. */
export function promptFrom(packet: Packet, state: State, { count }: Reader): Prompt {
  const { instructions } = state
  const body = render(packet, state.settings)
  const text = [instructions, body].filter((part) => part !== '').join('\n\n')
  const declarations = declare(state.tools)
  return { instructions, body, text, declarations, packet, tokens: count(text) + count(declarations) }
}

/** Refuses a goal, constraints and tools that cannot stand together within the limits, with the numbers. */
export function assertFits(state: State, reader: Reader): void {
  const { limit, overhead } = limitOf(state, reader)
  // A goal that comes later has a share that is known.
  const later = state.goal.value === '' ? (state.settings.caps['goal_tokens'] ?? 0) : 0
  const tokens = reader.count(render(pinnedPacket(state, reader), state.settings)) + later
  if (tokens + HEADROOM_TOKENS <= limit) return
  const { packet_size_limit, prompt_budget } = state.settings
  throw new TwotrackError(
    'budget_too_small',
    `Goal and constraints take ${tokens} tokens and need ${HEADROOM_TOKENS} more as headroom, but the packet may ` +
      `have ${Math.max(0, limit)} (packet_size_limit ${packet_size_limit}, prompt_budget ${prompt_budget} less ` +
      `${overhead} for instructions and tools). Raise the limits, shorten the goal or declare fewer tools.`,
    { details: { tokens, limit, toolTokens: overhead } },
  )
}

function limitOf(state: State, { count }: Reader): { limit: number; overhead: number } {
  const { packet_size_limit, prompt_budget, frame_tokens } = state.settings
  const overhead = count(state.instructions) + count(declare(state.tools)) + BLANK_LINE_TOKENS + frame_tokens
  return { limit: Math.min(packet_size_limit, prompt_budget - overhead), overhead }
}

/** Tool declarations as text: one JSON object a line. */
export const declare = (tools: readonly ToolDeclaration[]): string =>
  tools.map((tool) => canonical(tool)).join('\n')
