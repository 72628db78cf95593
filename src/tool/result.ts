import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import { type Outcome, outcomeSchema } from '../event/delta.ts'
import { canonical, isObject, type Json, toJson, withinDepth } from '../event/json.ts'

const json = z.json() as z.ZodType<Json>

/** What a tool returns when it knows about two tracks: the raw result, and what the packet should learn. */
export const toolResultSchema = z.strictObject({
  result: json,
  summary: z.string().min(1).max(300),
  knowledge_delta: z.record(z.string(), json),
  outcome: outcomeSchema,
  error: z.string().optional(),
})
export type ToolResult = z.infer<typeof toolResultSchema>

export const success = (result: Json, summary: string, knowledge: Record<string, Json> = {}): ToolResult => ({
  result,
  summary,
  knowledge_delta: knowledge,
  outcome: 'success',
})

/** The tool worked, and its answer is that not all is well: issues found, some tests failed. */
export const partial = (result: Json, summary: string, knowledge: Record<string, Json> = {}): ToolResult => ({
  ...success(result, summary, knowledge),
  outcome: 'partial',
})

export const error = (message: string, summary = `Error: ${message}`): ToolResult => ({
  result: null,
  summary: summary.length > 300 ? `${summary.slice(0, 299)}…` : summary,
  knowledge_delta: {},
  outcome: 'error',
  error: message,
})

/** For tests of one's own tools: throws unless the value keeps the whole contract. */
export function assertToolResult(value: unknown): asserts value is ToolResult {
  const parsed = toolResultSchema.safeParse(value)
  if (parsed.success) return
  const issue = parsed.error.issues[0]
  throw new TwotrackError(
    'bad_argument',
    `Not a tool result: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}. ` +
      'Return { result, summary, knowledge_delta, outcome } or use success(), partial(), error().',
  )
}

/** Whatever a tool returned, in one shape. */
export interface Wrapped {
  /** Text as the tool gave it, or JSON text of what it gave. */
  readonly text: string
  /** Set instead of a meaningful `text` when the tool gave bytes that are not UTF-8. */
  readonly bytes?: Uint8Array
  readonly output?: Json
  readonly outcome: Outcome
  readonly error?: string
  readonly own: { readonly summary?: string; readonly knowledge?: Record<string, Json> }
}

/** Wraps anything, rejects nothing: falsy values are results, a thrown value is an error result. */
export function wrapResult(value: unknown): Wrapped {
  if (typeof value === 'string') return { text: value, outcome: 'success', own: {} }
  if (value instanceof Uint8Array) return wrapBytes(value)
  if (value instanceof Error)
    return {
      text: value.stack ?? value.message,
      outcome: 'error',
      error: value.message || value.name,
      own: {},
    }
  if (!isObject(value)) return plain(value)
  if (Array.isArray(value['content']) && ('isError' in value || value['content'].every(isContentBlock)))
    return wrapMcp(value)
  if ('result' in value && ('summary' in value || 'outcome' in value)) return wrapContract(value)
  const failed = errorOf(value)
  return { ...plain(value), ...failed, own: ownOf(value) }
}

function plain(value: unknown): Wrapped {
  if (!withinDepth(value)) return { text: deepText(value), outcome: 'success', own: {} }
  const output = toJson(value)
  return {
    text: typeof output === 'string' ? output : canonical(output),
    output,
    outcome: 'success',
    own: {},
  }
}

/** JSON too deep to be kept as structure is kept as text; what even JSON.stringify can't walk is cut at the limit. */
function deepText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return canonical(toJson(value))
  }
}

function wrapBytes(bytes: Uint8Array): Wrapped {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), outcome: 'success', own: {} }
  } catch {
    return { text: '', bytes, outcome: 'success', own: {} }
  }
}

const isContentBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string'

/** A Model Context Protocol result: text blocks are the text, structured content the output. */
function wrapMcp(value: Record<string, unknown>): Wrapped {
  const blocks = Array.isArray(value['content']) ? value['content'] : []
  const text = blocks
    .map((block) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : canonical(toJson(block)),
    )
    .join('\n')
  const failed = value['isError'] === true
  return {
    text,
    ...('structuredContent' in value ? { output: toJson(value['structuredContent']) } : {}),
    outcome: failed ? 'error' : 'success',
    ...(failed ? { error: text.slice(0, 600) || 'the tool reported an error' } : {}),
    own: {},
  }
}

function wrapContract(value: Record<string, unknown>): Wrapped {
  const inner = wrapResult(value['result'])
  const stated = outcomeSchema.safeParse(value['outcome'])
  const failed = errorOf(value)
  const outcome = stated.success ? stated.data : (failed.outcome ?? 'success')
  const message =
    failed.error ??
    (outcome === 'error' ? String(value['summary'] ?? 'the tool reported an error') : undefined)
  return {
    text: inner.text,
    ...(inner.bytes ? { bytes: inner.bytes } : {}),
    ...(inner.output === undefined ? {} : { output: inner.output }),
    outcome,
    ...(outcome === 'error' && message !== undefined ? { error: message } : {}),
    own: ownOf(value),
  }
}

function ownOf(value: Record<string, unknown>): Wrapped['own'] {
  const summary = value['summary']
  const knowledge = value['knowledge_delta']
  return {
    ...(typeof summary === 'string' && summary !== '' ? { summary } : {}),
    ...(isObject(knowledge) ? { knowledge: toJson(knowledge) as Record<string, Json> } : {}),
  }
}

/** Reads the many ways a result says that it failed, and finds words for it. */
function errorOf(value: Record<string, unknown>): { outcome?: Outcome; error?: string } {
  const { error: failure, message, status } = value
  if (failure !== undefined && failure !== null && failure !== false && failure !== '') {
    return { outcome: 'error', error: wordsFor(failure, message) }
  }
  const word = typeof status === 'string' ? status.toLowerCase() : ''
  if (word === 'error' || word === 'failed' || word === 'failure')
    return { outcome: 'error', error: wordsFor(true, message) }
  return word === 'partial' || word === 'warning' ? { outcome: 'partial' } : {}
}

function wordsFor(failure: unknown, message: unknown): string {
  if (typeof failure === 'string') return failure
  if (isObject(failure) && typeof failure['message'] === 'string') return failure['message']
  if (typeof message === 'string' && message !== '') return message
  return failure === true ? 'the tool reported an error without a message' : canonical(toJson(failure))
}
