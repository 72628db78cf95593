import { diffArrays } from 'diff'
import type { PacketLine } from './packet.ts'

/** How lines become those of the next packet: so many stay, so many go (below 0), or these come. */
export type LineChanges = readonly (number | readonly PacketLine[])[]

export function lineChanges(before: readonly PacketLine[], after: readonly PacketLine[]): LineChanges {
  const byKey = new Map(after.map((line) => [JSON.stringify(line), line]))
  const keys = (lines: readonly PacketLine[]) => lines.map((line) => JSON.stringify(line))
  return diffArrays(keys(before), keys(after)).map(({ value, added, removed }) =>
    added ? value.flatMap((key) => byKey.get(key) ?? []) : removed ? -value.length : value.length,
  )
}
