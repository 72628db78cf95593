import type { Harm, Spot, SpotKind } from './spot.ts'

const HARM: Readonly<Record<Harm['kind'], number>> = {
  call_failed: 60,
  asked_again: 50,
  named: 40,
  failed_after: 40,
}
const KIND: Readonly<Record<SpotKind, number>> = {
  error: 20,
  failing_test: 18,
  place: 16,
  exit_code: 14,
  path: 10,
  name: 6,
  number: 0,
}
/** A name that no call had used before can only have come from that output. */
const NEW_NAME = 15
const PER_NAME = 2
const NAMES_MAX = 5
const PER_DECISION = 5
const DECISIONS_MAX = 6

/** Without any harm it is the kind alone that ranks it. */
export function scoreOf(
  { kind, names, harm }: Pick<Spot, 'kind' | 'names' | 'harm'>,
  isNew: boolean,
): number {
  const worst = Math.max(0, ...harm.map((one) => HARM[one.kind]))
  return worst + KIND[kind] + (isNew ? NEW_NAME : 0) + Math.min(names.length, NAMES_MAX) * PER_NAME
}

export const byScore = (a: Spot, b: Spot): number =>
  b.score - a.score || a.turn - b.turn || a.seq - b.seq || a.line - b.line

/** Spots of several decisions as one each, where they are the same line; the more decisions, the more harm. */
export function merged(spots: readonly Spot[]): Spot[] {
  const byLine = new Map<string, Spot[]>()
  for (const spot of spots) {
    const key = `${spot.seq} ${spot.line}`
    byLine.set(key, [...(byLine.get(key) ?? []), spot])
  }
  return [...byLine.values()]
    .flatMap((same) => {
      const [worst, ...others] = same.sort(byScore)
      if (!worst || others.length === 0) return worst ? [worst] : []
      return [
        {
          ...worst,
          to_line: Math.max(...same.map(({ to_line }) => to_line)),
          names: [...new Set(same.flatMap(({ names }) => names))],
          harm: same.flatMap(({ harm }) => harm).sort((a, b) => a.seq - b.seq),
          score: worst.score + Math.min(others.length, DECISIONS_MAX) * PER_DECISION,
        },
      ]
    })
    .sort(byScore)
}
