import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'

/** Counts the tokens of a text. Counts of lines are asked for again and again: the caller may remember them. */
export type Count = (text: string) => number

/**
 * A way to make a packet of a state, and text of a packet. Each version has a folder of its own with everything that
 * shapes it (weights, shares, cuts, renderer). Once released it never changes: old logs must give the same bytes. A
 * better one gets a new name. Integer arithmetic only.
 */
export interface View {
  /** Never above `limit` tokens as rendered, whatever the history. */
  packet(state: State, count: Count, limit: number): Packet
  /** The packet that stands in any case; refused at the start of a run when it does not fit. */
  pinned(state: State, count: Count): Packet
  render(packet: Packet): string
}
