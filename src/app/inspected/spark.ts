import type { Event } from '../../core/event/event.ts'

/** The turns of an agent as a small picture: a bar each, of many turns one for several. */
export interface Spark {
  /** How each bar ended: `s` success, `p` partial, `e` error, `-` without a call. */
  readonly ends: string
  /** How high each bar is, 0 to 9: by the output that came back in it. */
  readonly sizes: string
}

const BARS_MAX = 48
/** The worse the later. */
const ENDS = '-spe'

/** Collects the turns of one log. */
export class SparkTurns {
  readonly #turns: { end: number; bytes: number }[] = []

  add(event: Event): void {
    if (event.turn === 0) return
    const turn = this.#turns[event.turn - 1] ?? { end: 0, bytes: 0 }
    this.#turns[event.turn - 1] = turn
    if (event.type === 'agent_error') turn.end = Math.max(turn.end, ENDS.indexOf('e'))
    if (event.type !== 'tool_result') return
    turn.end = Math.max(turn.end, ENDS.indexOf(event.data.outcome.charAt(0)))
    turn.bytes += event.data.output_bytes
  }

  spark(): Spark {
    const each = Math.max(1, Math.ceil(this.#turns.length / BARS_MAX))
    const bars = Array.from({ length: Math.ceil(this.#turns.length / each) }, (_, at) => {
      const some = this.#turns.slice(at * each, (at + 1) * each).map((turn) => turn ?? { end: 0, bytes: 0 })
      const bytes = Math.max(...some.map((turn) => turn.bytes))
      return {
        end: Math.max(...some.map(({ end }) => end)),
        size: Math.min(9, Math.round(Math.log2(bytes + 1) / 2)),
      }
    })
    return {
      ends: bars.map(({ end }) => ENDS.charAt(end)).join(''),
      sizes: bars.map(({ size }) => String(size)).join(''),
    }
  }
}
