import type { z } from 'zod'
import { defined, isObject } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { markStated } from '../result.ts'
import { defineTool, type Tool } from '../tool.ts'
import { type ExternalName, externalsFor, type Providers } from './externals.ts'
import { runScript } from './sandbox.ts'

export interface ScriptToolDefinition<Input extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly effect: Tool['effect']
  readonly input: Input
  /** `export default async function (inputs, externals) {…}`; it has success(), partial() and error() too. */
  readonly source: string
  readonly externals?: readonly ExternalName[]
  /** What it returns is a tool result, or data with a `_summary`; else it is data. */
  readonly returns?: 'tool_result'
  readonly limits?:
    | 'strict'
    | 'default'
    | 'permissive'
    | { readonly memoryBytes: number; readonly deadlineMs: number }
  readonly providers?: Providers
}

/** A tool whose code is a script: it reaches nothing but the externals named here. */
export function scriptTool<Input extends z.ZodObject>(definition: ScriptToolDefinition<Input>): Tool {
  const {
    name,
    description,
    effect,
    input,
    source,
    externals = [],
    limits,
    returns,
    providers = {},
  } = definition
  return defineTool({
    name,
    description,
    effect,
    input,
    ...defined({ returns }),
    async run(args, context) {
      const end = await runScript(source, JSON.parse(JSON.stringify(args)), {
        externals: externalsFor(externals, context, providers),
        signal: context.signal,
        ...(limits === undefined ? {} : { limits }),
      })
      if (end.type === 'returned')
        return end.stated && isObject(end.value) ? markStated(end.value) : end.value
      if (end.type === 'stopped') throw new TwotrackError('limit', `${name}: ${end.error}`)
      throw new Error(end.error)
    },
  })
}
