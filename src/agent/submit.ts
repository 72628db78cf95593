import { z } from 'zod'
import type { JsonObject } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { success } from '../tool/result.ts'
import { defineTool, type Tool } from '../tool/tool.ts'

export const SUBMIT_TOOL = 'submit_result'

/** The tool that ends a run. Its arguments are the result of the run and are checked against the agent's schema. */
export function submitTool(schema: JsonObject): Tool {
  const tool = defineTool({
    name: SUBMIT_TOOL,
    description: 'Ends the work and hands in its result.',
    effect: 'idempotent',
    filesOnly: true,
    input: objectInput(schema),
    run: (args) => {
      const result = z.record(z.string(), z.json()).parse(args)
      const summary = typeof result['summary'] === 'string' ? result['summary'] : 'The result was handed in.'
      return success(result, summary.slice(0, 300) || 'The result was handed in.')
    },
  })
  // The model sees the schema as it is written; a round trip could lose words of it.
  return { ...tool, parameters: schema }
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
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TwotrackError('bad_argument', `not a JSON Schema that can be checked: ${why}`, { cause })
  }
}
