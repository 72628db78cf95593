import { type Learned, type Outcome, outcomeSchema } from '../core/event/delta.ts'
import { canonical, defined, isObject, type Json, recordable, toJson } from '../core/event/json.ts'
import type { Returned } from '../core/memory/learner.ts'
import { cut } from '../text/cut.ts'
import { isStated, statedSchema } from './result.ts'
import { StoredOutput } from './stored-output.ts'

/** A tool's own summary and error message in an event; the raw output has them whole. */
const TOOL_WORDS_CHARS_MAX = 4_000

/** Wraps anything, rejects nothing: falsy values are results, a thrown value is an error result. */
export function wrapResult(value: unknown): Returned {
  if (value instanceof StoredOutput) return { ...wrapResult(value.shown), stored: value.raw }
  try {
    return wrap(value)
  } catch {
    // Looking at it runs the tool's own code (a getter, a proxy), which threw; toJson says where.
    return { text: textOf(toJson(value)), outcome: 'success', own: {} }
  }
}

function wrap(value: unknown): Returned {
  if (!isStated(value)) return wrapValue(value)
  const stated = outcomeSchema.safeParse(value['outcome'])
  const failed = errorOf(value)
  const outcome = stated.success ? stated.data : (failed.outcome ?? 'success')
  const words = failed.error ?? (typeof value['summary'] === 'string' ? value['summary'] : '')
  const { text, shown, bytes, output } = isLong(value) ? plain(value) : wrapValue(value['result'])
  return {
    text,
    ...defined({ shown, bytes, output }),
    outcome,
    ...(outcome === 'error' ? { error: bounded(words || 'the tool reported an error') } : {}),
    own: ownOf(value),
  }
}

/** Words that are too long for the event's data: the raw output then holds all of it. */
const isLong = ({ summary, error: message }: Record<string, unknown>): boolean =>
  [summary, message].some((word) => typeof word === 'string' && word.length > TOOL_WORDS_CHARS_MAX)

function wrapValue(value: unknown): Returned {
  if (typeof value === 'string') return { text: value, outcome: 'success', own: {} }
  if (value instanceof Uint8Array) return wrapBytes(value)
  if (value instanceof ArrayBuffer) return wrapBytes(new Uint8Array(value))
  if (value instanceof Error) return wrapError(value)
  if (!isObject(value)) return plain(value)
  if (isMcp(value)) return wrapMcp(value)
  return { ...plain(value), ...errorOf(value) }
}

function plain(value: unknown): Returned {
  const output = recordable(value)
  if (typeof output === 'string') return { text: output, outcome: 'success', own: {} }
  return { text: canonical(output), output, outcome: 'success', own: {} }
}

function wrapBytes(bytes: Uint8Array): Returned {
  // The byte order mark is part of what the tool gave.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const exact = Buffer.from(text).equals(bytes)
  return { text, ...(exact ? {} : { bytes }), outcome: 'success', own: {} }
}

function wrapError(thrown: Error): Returned {
  const { stack } = thrown
  const message = String(thrown.message)
  return {
    text: typeof stack === 'string' ? stack : message,
    shown: message || String(thrown.name),
    outcome: 'error',
    error: bounded(message || String(thrown.name)),
    own: {},
  }
}

const MCP_KEYS = new Set(['content', 'structuredContent', 'isError', '_meta'])

/** Later versions add keys of their own; `isError` tells such a result from a chat message with blocks. */
const isMcp = (value: Record<string, unknown>): boolean =>
  Array.isArray(value['content']) &&
  value['content'].every((block) => isObject(block) && typeof block['type'] === 'string') &&
  (typeof value['isError'] === 'boolean' || hasOnlyMcpKeys(value))

const hasOnlyMcpKeys = (value: Record<string, unknown>): boolean =>
  Object.keys(value).every((key) => MCP_KEYS.has(key))

/** A Model Context Protocol result: text blocks are the text, structured content the output. */
function wrapMcp(value: Record<string, unknown>): Returned {
  const blocks = Array.isArray(value['content']) ? value['content'] : []
  const text = blocks
    .map((block) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : canonical(toJson(block)),
    )
    .join('\n')
  const failed = value['isError'] === true
  return {
    // What other keys say is kept too.
    ...(hasOnlyMcpKeys(value) ? { text } : { text: canonical(toJson(value)), shown: text }),
    ...('structuredContent' in value ? { output: toJson(value['structuredContent']) } : {}),
    outcome: failed ? 'error' : 'success',
    ...(failed ? { error: bounded(text || 'the tool reported an error') } : {}),
    own: {},
  }
}

/** An empty delta is no delta: the summarizer is asked for knowledge then. */
function ownOf(value: Record<string, unknown>): Partial<Learned> {
  const summary = value['summary']
  const knowledge = value['knowledge_delta']
  return {
    ...(typeof summary === 'string' && summary !== '' ? { summary: bounded(summary) } : {}),
    ...(isObject(knowledge) && Object.keys(knowledge).length > 0
      ? { knowledge: toJson(knowledge) as Record<string, Json> }
      : {}),
    ...statedIn(value),
  }
}

/** Each part stands alone: one that is not of its form is left out. */
function statedIn(value: Record<string, unknown>): Partial<Learned> {
  const sound = Object.entries(statedSchema.shape).filter(
    ([name, schema]) => name in value && schema.safeParse(value[name]).success,
  )
  const stated = Object.fromEntries(sound.map(([name]) => [name, value[name]]))
  const { state_summary, ...rest } = statedSchema.parse(stated)
  return { ...rest, ...(state_summary === undefined ? {} : { stateSummary: state_summary }) }
}

/** Reads the many ways a result says that it failed, and finds words for it. */
function errorOf(value: Record<string, unknown>): { outcome?: Outcome; error?: string } {
  const { error: failure, message, status, outcome } = value
  if (isFailure(failure)) return { outcome: 'error', error: bounded(wordsFor(failure, message)) }
  const words = [status, outcome].flatMap((word) => (typeof word === 'string' ? [word.toLowerCase()] : []))
  if (
    words.some((word) =>
      /^(?:error(?:ed)?|fail(?:ed|ure)?|time(?:d[ _]?)?out|crashed|killed|aborted)$/.test(word),
    )
  )
    return { outcome: 'error', error: bounded(wordsFor(true, message)) }
  return words.some((word) => word === 'partial' || word === 'warning') ? { outcome: 'partial' } : {}
}

/** No error, an empty one and code 0 are all ways to say that nothing failed. */
const isFailure = (failure: unknown): boolean =>
  typeof failure === 'object' && failure !== null && !(failure instanceof Error)
    ? Object.keys(failure).length > 0
    : Boolean(failure)

function wordsFor(failure: unknown, message: unknown): string {
  if (typeof failure === 'string') return failure
  if (isObject(failure) && typeof failure['message'] === 'string') return failure['message']
  if (typeof message === 'string' && message !== '') return message
  return failure === true ? 'the tool reported an error without a message' : textOf(toJson(failure))
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonical(value))
const bounded = (words: string): string => cut(words, TOOL_WORDS_CHARS_MAX)
