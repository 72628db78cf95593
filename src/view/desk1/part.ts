import type { Packet } from '../../packet/packet.ts'
import type { State, Words } from '../../packet/state.ts'
import type { Count } from '../view.ts'
import type { Claim } from './allocate.ts'
import { costUpTo, fitLines, textOf } from './fit.ts'

/** A section of the packet: what it needs in whole, and how it is shown with what it gets. */
export interface Part extends Claim {
  show(tokens: number, packet: Packet): Packet
}

/** What parts are made with. */
export interface Desk {
  readonly state: State
  readonly count: Count
  readonly budget: number
  readonly interest: (line: string) => number
}

/** What the title of a section costs. */
export const TITLE_TOKENS = 4

/** What a text costs in lines of its own. */
export const needOf = (text: string, { count, budget }: Pick<Desk, 'count' | 'budget'>): number =>
  text === '' ? 0 : costUpTo(text.split('\n'), budget, count) + TITLE_TOKENS

/** A text within a number of tokens, cut where it matters least. */
export function fitText(
  text: string,
  tokens: number,
  desk: Desk,
  highlights: readonly number[] = [],
): string {
  const lines = text.split('\n')
  if (tokens < 4 || text === '') return ''
  const fitted = fitLines(
    lines,
    tokens - (tokens > 12 ? TITLE_TOKENS : 0),
    desk.count,
    highlights,
    desk.interest,
  )
  return fitted.runs.length === 0 ? '' : textOf(fitted)
}

export const spoken = ({ turn, ref }: Words, text: string): Packet['person'][number] => ({ turn, text, ref })
