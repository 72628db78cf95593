import type { Json } from '../event/json.ts'
import type { Action, Packet } from './packet.ts'

/** One thing the bound may show or leave out, as it will stand in the packet. */
export type Piece =
  | { readonly in: 'recent_actions'; readonly action: Action }
  | {
      readonly in: 'knowledge'
      readonly key: string
      readonly value: Json
      readonly source_turn: number
      /** What stands above: notes on the same subject, numbered lines of it. */
      readonly under?: 'subject' | 'lines'
    }
  | { readonly in: 'line'; readonly line: number; readonly text: string }
  | { readonly in: 'name'; readonly name: string }
  | { readonly in: 'text'; readonly text: string }
  | { readonly in: 'lines'; readonly text: string }
  | { readonly in: 'candidate_actions'; readonly candidate: Packet['candidate_actions'][number] }
  | { readonly in: 'json'; readonly name: string; readonly value: Json }

/** How a packet becomes text, and what that text costs. Implemented in `prompt/`. */
export interface Measure {
  readonly name: string
  tokens(text: string): number
  render(packet: Packet): string
  /** The text that showing the piece adds, an upper bound of its cost. */
  piece(piece: Piece): string
}
