import type { Measure, Piece } from './measure.ts'

/** Tokens still free while a packet is filled. What a line break adds is counted with every piece. */
export class Room {
  left: number
  readonly measure: Measure

  constructor(tokens: number, measure: Measure) {
    this.left = tokens
    this.measure = measure
  }

  cost(piece: Piece): number {
    return this.measure.tokens(this.measure.piece(piece)) + 1
  }

  /** Takes the piece if it fits both here and in what remains of its own share. */
  take(piece: Piece, share: Share = unlimited): boolean {
    return this.spend(this.cost(piece), share)
  }

  spend(cost: number, share: Share = unlimited): boolean {
    if (cost > this.left || cost > share.left) return false
    this.left -= cost
    share.left -= cost
    return true
  }

  /** A part of what is free now. */
  share(part: number): Share {
    return { left: Math.floor(this.left * part) }
  }
}

export interface Share {
  left: number
}

const unlimited: Share = Object.freeze({
  get left() {
    return Number.POSITIVE_INFINITY
  },
  set left(_tokens: number) {},
})
