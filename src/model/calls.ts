import type { Call } from '../core/event/event.ts'
import { isObject, type Json, toJson, tryParse, withinDepth } from '../core/event/json.ts'
import { MODEL_CALLS_MAX } from '../limits.ts'
import { Unusable } from './faults.ts'

/** A call as a server gave it: the id may be missing. */
export interface ReadCall {
  readonly id?: string
  readonly tool: string
  readonly args: Json
}

/**
 * Arguments in whatever form a server gives them: an object, JSON text, JSON text of JSON text, JSON with words
 * around it. What cannot be read stays as its text, so that the check of the arguments can say what is wrong.
 */
export function readArguments(given: unknown): Json {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'string') return withinDepth(given) ? toJson(given) : argumentsText(given)
  if (given.trim() === '') return {}
  let read = tryParse(given)
  if (typeof read === 'string') read = tryParse(read) ?? read
  if (read === undefined) read = firstJson(given)
  return isObject(read) && withinDepth(read) ? toJson(read) : given
}

/** Calls with ids that are unique in the answer; the turn makes ours unique in the log. */
export function identified(calls: readonly ReadCall[], turn: number): Call[] {
  if (calls.length > MODEL_CALLS_MAX) {
    throw new Unusable(
      'bad_answer',
      false,
      `answered with ${calls.length} calls; more than ${MODEL_CALLS_MAX} are not run.`,
    )
  }
  const taken = new Set<string>()
  return calls.map(({ id, tool, args }, index) => {
    const call_id = id === undefined || id === '' || taken.has(id) ? `call_${turn}_${index + 1}` : id
    taken.add(call_id)
    return { call_id, tool, args }
  })
}

/** Token counts, when a server gives ones that can be true. */
export function usageOf(prompt: unknown, completion: unknown) {
  if (!isCount(prompt) || !isCount(completion)) return {}
  return { usage: { prompt_tokens: prompt, completion_tokens: completion } }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Nested too deep to record; too deep even to print, where the stack ends first. */
function argumentsText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '[arguments nested too deep]'
  }
}

/**
 * The first JSON object or array in a text, whatever stands around it; undefined when there is none. Looks at
 * one opening bracket only, so the time is linear in the length of the text.
 */
function firstJson(text: string): unknown {
  const from = text.search(/[{[]/)
  if (from < 0) return undefined
  const end = closing(text, from)
  return end === undefined ? undefined : tryParse(text.slice(from, end + 1))
}

/** Where the bracket at `from` is closed; brackets inside JSON strings do not count. */
export function closing(text: string, from: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at
  }
  return undefined
}
