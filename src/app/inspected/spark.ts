import type { Turn } from '../turns.ts'

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

/** Of the turns of a log. */
export function sparkOf(turns: readonly Turn[]): Spark {
  const ended = turns.filter(({ turn }) => turn > 0)
  const each = Math.max(1, Math.ceil(ended.length / BARS_MAX))
  const bars = Array.from({ length: Math.ceil(ended.length / each) }, (_, at) =>
    ended.slice(at * each, (at + 1) * each),
  )
  const sizeOf = ({ raw_bytes }: Turn) => Math.min(9, Math.round(Math.log2(raw_bytes + 1) / 2))
  return {
    ends: bars.map((some) => ENDS.charAt(Math.max(...some.map(endOf)))).join(''),
    sizes: bars.map((some) => Math.max(...some.map(sizeOf))).join(''),
  }
}

const endOf = ({ calls, faults }: Turn): number =>
  Math.max(
    faults > 0 ? ENDS.indexOf('e') : 0,
    ...calls.map(({ outcome = '-' }) => ENDS.indexOf(outcome.charAt(0))),
  )
