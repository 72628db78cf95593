import { setImmediate } from 'node:timers/promises'
import type { InspectedLog } from './log.ts'
import { onceOf } from './log.ts'

/** What one packet shows of outputs: places in bytes, by event. */
interface SeenIn {
  readonly turn: number
  readonly shown: ReadonlyMap<number, readonly (readonly [number, number])[]>
}

/** One packet after the other, with time for other requests between them. */
async function seenIn(log: InspectedLog): Promise<SeenIn[]> {
  const all: SeenIn[] = []
  for (let turn = 0; turn <= log.history.lastTurn; turn++) {
    const { lines } = await log.packet(turn)
    const shown = new Map<number, (readonly [number, number])[]>()
    for (const { origin } of lines)
      if (origin?.part === 'raw_output' && (origin.how === 'verbatim' || origin.how === 'rewritten'))
        shown.set(origin.seq, [...(shown.get(origin.seq) ?? []), ...origin.marks])
    all.push({ turn, shown })
    await setImmediate()
  }
  return all
}

/** The turns whose packets showed some of these bytes of an output. */
export async function turnsThatSaw(
  log: InspectedLog,
  seq: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number[]> {
  const all = await onceOf(log, 'seen', () => seenIn(log))
  const overlaps = ([start, end]: readonly [number, number]) => start < to && end > from
  return all.flatMap(({ turn, shown }) => (shown.get(seq)?.some(overlaps) ? [turn] : []))
}
