import { z } from 'zod'
import { fileChangeSchema, outcomeSchema, planChangeSchema } from '../core/event/delta.ts'
import { isObject, type Json } from '../core/event/json.ts'
import { json, jsonObject } from '../core/event/json-field.ts'
import { TwotrackError } from '../errors.ts'
import { SUMMARY_CHARS_MAX } from '../limits.ts'
import { cut } from '../text/cut.ts'

/** What a tool may state beside its summary and knowledge; each part changes the packet as a summarizer's would. */
export const statedSchema = z.strictObject({
  /** Knowledge keys that this result makes untrue. */
  supersedes: z.array(z.string()).exactOptional(),
  /** Open problems; begin with null to replace those known before, `[null]` when none are left. */
  diagnostics: z.array(z.string().nullable()).exactOptional(),
  /** The excerpt to work on next; null when there is none any more. */
  focus: z.strictObject({ place: z.string(), text: z.string() }).nullable().exactOptional(),
  /** Where the work stands, in a sentence. */
  state_summary: z.string().exactOptional(),
  /** Values of the agent's extensions, by name. */
  extensions: jsonObject.exactOptional(),
  /** The output in readable form, where the result is not; null when the summary says it all. */
  output: z.string().nullable().exactOptional(),
  /** File text that the call read or changed. */
  files: z.array(fileChangeSchema).exactOptional(),
  /** Changes of the plan; begin with null to replace it. */
  plan: z.array(planChangeSchema.nullable()).exactOptional(),
})
export type Stated = z.infer<typeof statedSchema>

/** What a tool returns when it knows about two tracks: the raw result, and what the packet should learn. */
const toolResultSchema = z.strictObject({
  result: json,
  summary: z.string().min(1).max(SUMMARY_CHARS_MAX),
  knowledge_delta: jsonObject,
  outcome: outcomeSchema,
  error: z.string().optional(),
  ...statedSchema.shape,
})
export type ToolResult = z.infer<typeof toolResultSchema>

/** No JSON can hold a symbol: what a server or a file says never passes for what the tool itself states. */
const STATED = Symbol.for('twotrack.tool_result')

/** Marks a value as stated by the tool itself. */
export const markStated = <Value extends object>(value: Value): Value =>
  Object.assign(value, { [STATED]: true })

export const isStated = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.hasOwn(value, STATED)

/**
 * What a tool returns that declared `returns: 'tool_result'`: a plain object with words of its own counts as stated,
 * whether it is a tool result or data with a `_summary`. The raw output stays all that it returned.
 */
export function ownWord(value: unknown): unknown {
  if (!isObject(value) || isStated(value) || !isPlain(value)) return value
  const { _summary: summary = value['summary'], ...fields }: Record<string, unknown> = value
  const names = Object.keys(fields)
  if (summary === undefined && !['knowledge_delta', 'outcome', 'error'].some((name) => name in fields))
    return value
  const words = Object.fromEntries(Object.entries(fields).filter(([name]) => name in toolResultSchema.shape))
  const isWhole = 'result' in fields && names.length === Object.keys(words).length
  return markStated({ ...words, summary, result: isWhole ? fields['result'] : value })
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export const success = (
  result: Json,
  summary: string,
  knowledge: Record<string, Json> = {},
  stated: Stated = {},
): ToolResult =>
  markStated({
    result,
    summary: cut(summary, SUMMARY_CHARS_MAX),
    knowledge_delta: knowledge,
    outcome: 'success',
    ...stated,
  })

/** The tool worked, and its answer is that not all is well: issues found, some tests failed. */
export const partial = (
  result: Json,
  summary: string,
  knowledge: Record<string, Json> = {},
  stated: Stated = {},
): ToolResult => ({ ...success(result, summary, knowledge, stated), outcome: 'partial' })

export const error = (
  message: string,
  summary = `Error: ${message}`,
  stated: Stated & { readonly result?: Json } = {},
): ToolResult => ({ ...success(null, summary, {}, stated), outcome: 'error', error: message })

/** For tests of one's own tools: throws unless the value keeps the whole contract. */
export function assertToolResult(value: unknown): asserts value is ToolResult {
  const parsed = toolResultSchema.safeParse(value)
  if (parsed.success && isStated(value)) return
  const issue = parsed.error?.issues[0]
  const why = issue ? `at ${issue.path.join('.') || 'the top'}: ${issue.message}` : 'it has the shape alone'
  throw new TwotrackError(
    'bad_argument',
    `Not a tool result: ${why}. Make it with success(), partial(), error(): other values are data.`,
  )
}
