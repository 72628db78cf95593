import type { Candidate } from '../event/delta.ts'
import { canonical, type Json } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'
import type { Condition, Rule } from './agent.ts'
import { fillJson, fillObject, type Lookup, packetLookup } from './template.ts'

/**
 * The actions that an agent's rules propose for a packet, in the order of the rules, each once. A rule whose
 * templates name something that is not known proposes nothing.
 */
export function candidatesOf(rules: readonly Rule[], packet: Packet): Candidate[] {
  const lookup = packetLookup(packet)
  const seen = new Set<string>()
  return rules.flatMap((rule) => {
    if (rule.when && !holds(rule.when, packet, lookup)) return []
    const args = fillObject(rule.args, lookup)
    const reason = fillJson(rule.reason, lookup)
    if (args === undefined || typeof reason !== 'string') return []
    const call = canonical([rule.tool, args])
    if (seen.has(call)) return []
    seen.add(call)
    return [{ tool: rule.tool, args, reason }]
  })
}

/** Whether every part of a condition holds. */
function holds(when: Condition, packet: Packet, lookup: Lookup): boolean {
  const { known = [], unknown = [], equals = {}, above = {}, called_below = {} } = when
  return (
    known.every((name) => lookup(name) !== undefined) &&
    unknown.every((name) => lookup(name) === undefined) &&
    Object.entries(equals).every(([name, wanted]) => isSame(lookup(name), wanted)) &&
    Object.entries(above).every(([name, least]) => isAbove(lookup(name), least)) &&
    Object.entries(called_below).every(([tool, most]) => callsOf(packet, tool) < most) &&
    (when.last === undefined || isLast(when.last, packet))
  )
}

const isSame = (value: Json | undefined, wanted: Json): boolean =>
  value !== undefined && canonical(value) === canonical(wanted)

const isAbove = (value: Json | undefined, least: number): boolean =>
  typeof value === 'number' && value > least

const callsOf = (packet: Packet, tool: string): number =>
  packet.recent_actions.filter((action) => action.tool === tool).length

function isLast({ tool, outcome }: NonNullable<Condition['last']>, { recent_actions }: Packet): boolean {
  const last = recent_actions.at(-1)
  return last?.tool === tool && (outcome === undefined || last.outcome === outcome)
}
