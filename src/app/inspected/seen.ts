import { setImmediate } from 'node:timers/promises'
import { shownBytes } from '../../audit/why/shown.ts'
import type { InspectedLog } from './log.ts'

/** The turns whose packets showed some of these bytes of an output: none before it came. */
export async function turnsThatSaw(
  { history, decision }: InspectedLog,
  seq: number,
  place: { readonly from: number; readonly to: number },
): Promise<number[]> {
  const turns: number[] = []
  for (let turn = history.event(seq)?.turn ?? history.lastTurn; turn <= history.lastTurn; turn++) {
    const [output] = await shownBytes(history, decision(turn), seq)
    if (output?.shown.some(({ from, to }) => from < place.to && to > place.from)) turns.push(turn)
    // One packet after the other, with time for other requests between them.
    await setImmediate()
  }
  return turns
}
