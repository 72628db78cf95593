import type { Json } from '../core/event/json.ts'
import { inTime } from '../in-time.ts'
import { TOOL_DEADLINE_MS_DEFAULT } from '../limits.ts'
import { nearest } from '../text/suggest.ts'
import { error, type ToolResult } from './result.ts'
import type { Tool, ToolContext } from './tool.ts'

/** What a script may log. */
const TOOL_LOG_CHARS_MAX = 64 * 1024

export interface CallLimits {
  readonly deadlineMs?: number
}

/** What became of a call. Either way it is recorded: `wrapResult` takes what was returned and what was thrown. */
export type Called =
  | { readonly returned: unknown; readonly duration_ms: number }
  | { readonly thrown: Error; readonly duration_ms: number }

/**
 * Calls a tool with a model's arguments; never throws. Arguments that do not fit are an error result that tells
 * the model what was wrong, and the tool does not run. At the deadline, or when `context.signal` aborts, the
 * tool's own signal aborts and the call ends: a tool that goes on regardless is not waited for.
 */
export async function callTool(
  tool: Tool,
  rawArgs: Json,
  context: ToolContext,
  limits: CallLimits = {},
): Promise<Called> {
  const begin = performance.now()
  const { deadlineMs = TOOL_DEADLINE_MS_DEFAULT } = limits
  try {
    const checked = tool.check(rawArgs)
    if (!checked.ok) return { returned: badArguments(tool, checked.message), duration_ms: since(begin) }
    const returned = await inTime(tool.name, deadlineMs, context.signal, (signal) =>
      tool.run(checked.args, withSignal(context, signal)),
    )
    return { returned, duration_ms: since(begin) }
  } catch (thrown) {
    return { thrown: thrown instanceof Error ? thrown : new Error(String(thrown)), duration_ms: since(begin) }
  }
}

/** The workspace is asked for only by tools that need one: an agent without one has a getter that throws. */
function withSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  const fields = Object.getOwnPropertyDescriptors(context)
  return Object.create(Object.prototype, { ...fields, signal: { value: signal, enumerable: true } })
}

/** The result of a call to a tool that there is not. */
export function unknownTool(name: string, known: readonly string[]): ToolResult {
  const meant = nearest(name.slice(0, 64), known)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  const listed = known.length === 0 ? 'There are no tools.' : `The tools are: ${known.join(', ')}.`
  return error(`There is no tool "${name.slice(0, 64)}".${hint} ${listed}`)
}

function badArguments(tool: Tool, message: string): ToolResult {
  const fields = tool.parameters['properties']
  const names = typeof fields === 'object' && fields !== null ? Object.keys(fields) : []
  return error(
    `${tool.name} did not run, its arguments are wrong: ${message}. It takes ${names.length === 0 ? 'no arguments' : names.join(', ')}.`,
  )
}

const since = (begin: number): number => Math.round(performance.now() - begin)

/** What a tool said while it ran, for people: kept with its result, bounded, never shown to a model. */
export class ToolLog {
  #text = ''

  /** A line; what is past the limit is left out. */
  add(line: string): void {
    const text = this.#text === '' ? line : `${this.#text}\n${line}`
    this.#text = text.slice(0, TOOL_LOG_CHARS_MAX)
  }

  get text(): string {
    return this.#text
  }
}
