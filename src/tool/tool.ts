import { z } from 'zod'
import type { CheckRow } from '../config/checks.ts'
import type { BlobRef, ToolDeclaration } from '../core/event/event.ts'
import { defined, type Json, type JsonObject } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { readInside, writeInside } from '../files/files.ts'
import type { CodeGraph } from '../nodes/edges.ts'
import type { TrustRequest, Trusts } from '../trust/trust.ts'
import { ownWord } from './result.ts'

/** The files of a workspace, without a complete copy of the project. Paths are relative to its top. */
export type ToolFiles = NonNullable<ToolContext['files']>

/** The files in a folder that is complete. */
export const filesIn = (folder: string): ToolFiles => ({
  read: (path) => readInside(folder, path),
  write: (path, content) => writeInside(folder, path, content),
  complete: async () => folder,
})

export const filesOf = (context: ToolContext): ToolFiles => context.files ?? filesIn(context.workspace)

export interface SharedRun {
  /** The files that they work on, relative to the project's top: one command can serve them all. */
  readonly paths: readonly string[]
  /** A complete copy of the project, made when it is first asked for. Whoever writes in it puts it back as it was. */
  tree(): Promise<string>
  /** Linters that the configuration adds to those that are known. */
  readonly checks?: readonly CheckRow[]
  /** Aborts when the whole run is stopped. */
  readonly signal: AbortSignal
  /** A line for the person who started the run. */
  tell(line: string): void
}

/** What a tool may reach; nothing else is passed to it. */
export interface ToolContext {
  /** Absolute folder that reads and writes stay in. */
  readonly workspace: string
  /** The same files one by one. A tool with `filesOnly` has these alone. */
  readonly files?: {
    read(path: string): Promise<Buffer>
    write(path: string, content: string | Uint8Array): Promise<void>
    /** Absolute folder with all files of the project, for a command; it is made if there is none yet. */
    complete(): Promise<string>
  }
  /** The project that the workspace is a copy of; absent where the tools work on the project itself. */
  readonly project?: string
  /** Where several agents run together. @internal */
  readonly shared?: SharedRun
  /**
   * All of the code in the workspace as it is now, where the agent has a hub that knows it.
   * @internal
   */
  readonly code?: () => Promise<CodeGraph>
  readonly node: { readonly id: string; readonly type: string }
  readonly signal: AbortSignal
  /** Reads a bounded excerpt of an earlier raw output; only for tools that were granted it. */
  readonly recall?: (ref: number, query: string) => Promise<string>
  /** A line for people, kept with the result of the call. */
  readonly log?: (line: string) => void
  /**
   * Stores output too large for memory as it comes; the tool then returns a `StoredOutput` (stored-output.ts).
   * @internal
   */
  readonly keep?: (bytes: AsyncIterable<Uint8Array>) => Promise<BlobRef>
  /** The agent's policy bounds the network: a command that the tool runs must have none. */
  readonly offline?: boolean
  /** What of the project a person trusts (`requireTrust`); nothing, where it is left out. */
  readonly trusts?: Trusts
}

/** The port to anything an agent can call. `run` may return anything or throw: both are recorded as results. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** Whether a call may run again when its result was lost: `effect` may not. */
  readonly effect: 'pure' | 'idempotent' | 'effect'
  readonly parameters: JsonObject
  /** Checks the model's arguments; the message tells the model what was wrong. */
  check(args: Json): { ok: true; args: JsonObject } | { ok: false; message: string }
  run(args: JsonObject, context: ToolContext): Promise<unknown>
  /** It needs no folder, `context.files` at most: no copy of the project has to be made for it. */
  readonly filesOnly?: boolean
  /** What of a project its calls will run or load, so that a person is asked before the agent begins. */
  trustRequests?(project: string): Promise<readonly TrustRequest[]>
}

export interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly effect: 'pure' | 'idempotent' | 'effect'
  readonly input: Input
  readonly trustRequests?: Tool['trustRequests']
  readonly filesOnly?: boolean
  /** What it returns is a tool result, or data with a `_summary`, and counts as the tool's own word; else it is data. */
  readonly returns?: 'tool_result'
  run(args: z.infer<Input>, context: ToolContext): Promise<unknown> | unknown
}

/** A tool from a zod schema and a function. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, description, effect, input, trustRequests, filesOnly } = definition
  if (!/^[A-Za-z_][\w-]{0,63}$/.test(name)) {
    throw new TwotrackError(
      'bad_argument',
      `A tool's name is up to 64 letters, digits, _ or -; received "${name}".`,
    )
  }
  const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: 'input' }) as JsonObject
  return {
    name,
    description,
    effect,
    parameters,
    check(args) {
      const parsed = input.safeParse(args)
      if (parsed.success) return { ok: true, args: parsed.data as JsonObject }
      const problems = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
      )
      return { ok: false, message: problems.slice(0, 5).join('; ') }
    },
    async run(args, context) {
      const returned = await definition.run(input.parse(args), context)
      return definition.returns === 'tool_result' ? ownWord(returned) : returned
    },
    ...defined({ trustRequests, filesOnly }),
  }
}

/** A tool whose arguments are described by a JSON Schema of an object. The model sees the schema as it is written. */
export function toolFromJsonSchema(
  definition: Omit<ToolDefinition<z.ZodObject>, 'input'> & { readonly parameters: JsonObject },
): Tool {
  const { parameters, ...rest } = definition
  return { ...defineTool({ ...rest, input: objectInput(parameters) }), parameters }
}

/** A JSON Schema of an object as a zod schema. Throws `bad_argument` for anything else. */
export function objectInput(schema: JsonObject): z.ZodObject {
  const read = readSchema(schema)
  if (read instanceof z.ZodObject) return read
  throw new TwotrackError('bad_argument', 'expected a JSON Schema with "type: object" and its properties')
}

function readSchema(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema)
  } catch (cause) {
    throw new TwotrackError('bad_argument', `not a JSON Schema that can be checked: ${messageOf(cause)}`, {
      cause,
    })
  }
}

export const declarationOf = (tool: Tool): ToolDeclaration => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters,
})
