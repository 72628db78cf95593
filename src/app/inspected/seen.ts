import { setImmediate } from 'node:timers/promises'
import type { InspectedLog } from './log.ts'
import { showsBytes } from './shows-bytes.ts'

/** The turns whose packets showed some of these bytes of an output: none before it came. */
export async function turnsThatSaw(
  log: InspectedLog,
  seq: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number[]> {
  const { events, lastTurn } = log.history
  const turns: number[] = []
  for (let turn = events[seq - 1]?.turn ?? lastTurn; turn <= lastTurn; turn++) {
    const { lines } = await log.packet(turn)
    if (showsBytes(lines, seq, { from, to })) turns.push(turn)
    // One packet after the other, with time for other requests between them.
    await setImmediate()
  }
  return turns
}
