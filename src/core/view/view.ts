import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** How a view reads a state. It asks for the same again and again, within a packet and from turn to turn. */
export interface Reader {
  readonly count: Count
  /** What a function finds in a part of the state, looked for once. Parts never change; the function is always the same. */
  once<Part extends object, Found>(part: Part, find: (part: Part) => Found): Found
}

/**
 * A way to make a packet of a state, and text of a packet. Each version has a folder of its own with everything that
 * shapes it (weights, shares, cuts, renderer). Once released it never changes: old logs must give the same bytes. A
 * better one gets a new name. Integer arithmetic only.
 */
export interface View {
  /** Never above `limit` tokens as rendered, whatever the history. */
  packet(state: State, reader: Reader, limit: number): Packet
  /** The packet that stands in any case; refused at the start of a run when it does not fit. */
  pinned(state: State, reader: Reader): Packet
  render(packet: Packet): string
}
