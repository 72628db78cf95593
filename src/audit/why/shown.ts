import type { Json } from '../../core/event/json.ts'
import type { History, TurnEnd } from '../history.ts'
import { evidenceOf } from './evidence.ts'
import { leavesOf } from './leaves.ts'
import { joined, type TextSpan } from './marks.ts'
import { originsOf } from './origin.ts'

/** Which bytes of an event's raw output a packet showed, as they stand there or in other wrapping. */
export interface ShownBytes {
  readonly seq: number
  /** Of the whole output. */
  readonly bytes: number
  /** Places in it, in bytes. */
  readonly shown: readonly TextSpan[]
}

/** Of each output, or of one, in the order of the log: every text of the packet is traced to the bytes behind it. */
export async function shownBytes(history: History, end: TurnEnd, only?: number): Promise<ShownBytes[]> {
  const found = new Map<number, { bytes: number; marks: TextSpan[] }>()
  for (const leaf of leavesOf(end.packet as Json)) {
    if (typeof leaf.value !== 'string' || leaf.value === '') continue
    for (const origin of originsOf({ leaf, end, history })) {
      if (only !== undefined && origin.seq !== only) continue
      for (const { seq, part, bytes, how, marks } of await evidenceOf(
        history,
        origin,
        origin.part ?? leaf.value,
      ))
        if (part === 'raw_output' && (how === 'verbatim' || how === 'rewritten')) {
          const known = found.get(seq) ?? { bytes, marks: [] }
          for (const { from, to } of marks) known.marks.push({ from, to })
          found.set(seq, known)
        }
    }
  }
  return [...found]
    .sort(([one], [other]) => one - other)
    .map(([seq, { bytes, marks }]) => ({ seq, bytes, shown: joined(marks) }))
}
