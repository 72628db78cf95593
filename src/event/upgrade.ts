import { TwotrackError } from '../errors.ts'
import { EVENT_VERSION, type EventType } from './event.ts'
import { isObject, type Json } from './json.ts'

type Upgrade = (type: EventType, payload: Json) => Json

/**
 * One step per old version: `from[1]` makes a version 2 payload of a version 1 payload. Version 1 is the
 * oldest that has a chain; entries from before it are read by `fromTraceEntry`.
 */
const from: Readonly<Record<number, Upgrade>> = {}

/** Brings a payload to the current version. The line on disk is never rewritten. */
export function upgrade(v: number, type: EventType, payload: Json, steps = from): Json {
  let current = payload
  for (let version = v; version < EVENT_VERSION; version++) {
    const step = steps[version]
    if (!step) throw new TwotrackError('bad_event', `Events of version ${version} can no longer be read.`)
    current = step(type, current)
  }
  return current
}

/** A trace entry from before the chain: one tool call with its output and how it changed the packet. */
export interface TraceEntry {
  turn?: number
  timestamp?: string
  tool: string
  args: Json
  raw_output: unknown
  parsed_output?: Json
  delta: { actions: string[]; knowledge: Record<string, Json>; diagnostics: string[] }
}

/**
 * Reads both early shapes of a trace entry: the flat one (`tool, args, raw_output, packet_delta`) and the
 * nested one (`type: tool_result, data: {raw_output, summary_delta}`). `undefined` when it is neither.
 */
export function fromTraceEntry(value: unknown): TraceEntry | undefined {
  if (!isObject(value) || typeof value['tool'] !== 'string') return undefined
  const data = isObject(value['data']) ? value['data'] : value
  const delta = data['packet_delta'] ?? data['summary_delta'] ?? data['delta']
  if (!('raw_output' in data) || !isObject(delta)) return undefined
  return {
    ...(typeof value['turn'] === 'number' ? { turn: value['turn'] } : {}),
    ...(typeof value['timestamp'] === 'string' ? { timestamp: value['timestamp'] } : {}),
    tool: value['tool'],
    args: (value['args'] ?? {}) as Json,
    raw_output: data['raw_output'],
    ...('parsed_output' in data ? { parsed_output: data['parsed_output'] as Json } : {}),
    delta: {
      actions: strings(delta['recent_actions'] ?? delta['recent_history'] ?? delta['add_history']),
      knowledge: knowledgeOf(delta),
      diagnostics: strings(delta['diagnostics']),
    },
  }
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string')

function knowledgeOf(delta: Record<string, unknown>): Record<string, Json> {
  const known = delta['knowledge'] ?? delta['update_knowledge']
  const entries: [string, Json][] = isObject(known) ? (Object.entries(known) as [string, Json][]) : []
  for (const path of strings(delta['file_context'])) entries.push([path, 'seen'])
  return Object.fromEntries(entries)
}
