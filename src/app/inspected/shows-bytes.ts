import type { PacketLine } from './packet.ts'

/** Whether a packet shows some of these bytes of an output, as they are or in other wrapping. */
export const showsBytes = (
  lines: readonly PacketLine[],
  seq: number,
  { from, to }: { readonly from: number; readonly to: number },
): boolean =>
  lines.some(
    ({ origin }) =>
      origin?.seq === seq &&
      origin.part === 'raw_output' &&
      (origin.how === 'verbatim' || origin.how === 'rewritten') &&
      origin.marks.some(([start, end]) => start < to && end > from),
  )
