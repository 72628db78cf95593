import type { Packet } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import type { Reader } from '../view.ts'
import { allocate } from './allocate.ts'
import { earlierPart } from './earlier.ts'
import { filesParts } from './files.ts'
import { interestOf } from './interest.ts'
import type { Desk, Part } from './part.ts'
import {
  candidatesPart,
  changedPart,
  extensionParts,
  factsPart,
  focusPart,
  hubPart,
  linesPart,
  personPart,
  planPart,
  textPart,
} from './sections.ts'
import { seenBeforePart } from './seen-before.ts'
import { stepParts } from './steps.ts'

/** The sections of a packet, with their weights. */
export function partsOf(state: State, reader: Reader, limit: number): Part[] {
  const desk: Desk = { ...reader, state, limit, interest: interestOf(state) }
  return [
    personPart(desk, 250),
    textPart(desk, 40, state.node_summary?.value, (text) => ({ node_summary: text })),
    textPart(desk, 60, state.state_summary?.value, (text) => ({ state_summary: text })),
    textPart(desk, 60, state.last_error?.value, (text) => ({ last_error: text })),
    planPart(desk, 300),
    linesPart(desk, 250, state.diagnostics, (diagnostics) => ({ diagnostics })),
    linesPart(desk, 25, state.failed_attempts, (failed_attempts) => ({ failed_attempts })),
    candidatesPart(desk, 150),
    changedPart(desk, 80),
    factsPart(desk, 30),
    hubPart(desk, 80),
    ...extensionParts(desk),
    focusPart(desk, 100),
    ...stepParts(desk),
    ...filesParts(desk),
    earlierPart(desk, 260),
    seenBeforePart(desk, 220),
  ]
}

/**
 * Divides a budget among the sections; what is spare goes to the one that can use little pieces of it. `whole` tells
 * that nothing had to be shortened or left out.
 */
export function fill(
  parts: readonly Part[],
  pinned: Packet,
  budget: number,
  spare = 0,
): { packet: Packet; whole: boolean } {
  const given = allocate(budget, parts)
  let packet = pinned
  for (const [at, part] of parts.entries())
    packet = part.show((given[at] ?? 0) + (part.takesSpare ? spare : 0), packet)
  return { packet, whole: parts.every(({ need }, at) => need <= (given[at] ?? 0)) }
}
