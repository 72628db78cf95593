import type { ToolDeclaration } from '../event/event.ts'
import { canonical } from '../event/json.ts'
import type { Measure } from '../packet/measure.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import { assertPinnedFits, view } from '../packet/view.ts'

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

/** The packet of a state within both limits: its own, and what instructions and tools leave of the whole prompt. */
export function packetOf(state: State, measure: Measure): Packet {
  return view(state, measure, packetLimit(state, measure).limit)
}

export function promptOf(state: State, measure: Measure): Prompt {
  return promptFrom(packetOf(state, measure), state, measure)
}

/** The prompt of a packet that was already made of this state. */
export function promptFrom(packet: Packet, state: State, measure: Measure): Prompt {
  const { instructions } = state
  const body = measure.render(packet)
  const text = [instructions, body].filter((part) => part !== '').join('\n\n')
  const declarations = declare(state.tools)
  const tokens = measure.tokens(text) + measure.tokens(declarations)
  return { instructions, body, text, declarations, packet, tokens }
}

/** Refuses a goal, constraints and tools that cannot stand together within the limits. */
export function assertFits(state: State, measure: Measure): void {
  const { limit, overhead } = packetLimit(state, measure)
  assertPinnedFits(state, measure, limit, overhead)
}

function packetLimit(state: State, measure: Measure): { limit: number; overhead: number } {
  const { packet_size_limit, prompt_budget } = state.settings
  // Two tokens for the blank line between instructions and packet.
  const overhead =
    measure.tokens(state.instructions) +
    measure.tokens(declare(state.tools)) +
    2 +
    state.settings.frame_tokens
  return { limit: Math.min(packet_size_limit, prompt_budget - overhead), overhead }
}

/** Tool declarations as text: one JSON object a line. */
export const declare = (tools: readonly ToolDeclaration[]): string =>
  tools.map((tool) => canonical(tool)).join('\n')
