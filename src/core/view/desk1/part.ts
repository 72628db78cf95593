import type { Packet } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import type { Reader } from '../view.ts'
import type { Claim } from './allocate.ts'
import { costUpTo, fitter, type Kind, OUTPUT, textOf } from './fit.ts'

/** A section of the packet: what it needs in whole, and how it is shown with what it gets. */
export interface Part extends Claim {
  /** Made of small pieces, so that it can fill what the others leave. */
  readonly takesSpare?: true
  show(tokens: number, packet: Packet): Packet
}

/** What parts are made with. */
export interface Desk extends Reader {
  readonly state: State
  /** Of the packet, in tokens: nothing is counted further than that. */
  readonly limit: number
  readonly interest: (line: string) => number
}

export const TITLE_TOKENS = 4

/** What a text costs in lines of its own. */
export const needOf = (text: string, { count, limit }: Pick<Desk, 'count' | 'limit'>): number =>
  text === '' ? 0 : costUpTo(text.split('\n'), limit, count) + TITLE_TOKENS

/** A text within a number of tokens, cut where it matters least. */
export function textFitter(
  text: string,
  { count, interest }: Pick<Desk, 'count' | 'interest'>,
  highlights: readonly number[] = [],
  kind: Kind = OUTPUT,
): (tokens: number) => string {
  const fit = fitter(text.split('\n'), count, highlights, interest, kind)
  return (tokens) => {
    if (tokens < 4 || text === '') return ''
    const fitted = fit(tokens - (tokens > 12 ? TITLE_TOKENS : 0))
    return fitted.runs.length === 0 ? '' : textOf(fitted)
  }
}
