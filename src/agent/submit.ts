import { z } from 'zod'
import type { JsonObject } from '../core/event/json.ts'
import { success } from '../tool/result.ts'
import { type Tool, toolFromJsonSchema } from '../tool/tool.ts'

export const SUBMIT_TOOL = 'submit_result'

/** The tool that ends a run. Its arguments are the result of the run and are checked against the agent's schema. */
export const submitTool = (parameters: JsonObject): Tool =>
  toolFromJsonSchema({
    name: SUBMIT_TOOL,
    description: 'Ends the work and hands in its result.',
    effect: 'idempotent',
    filesOnly: true,
    parameters,
    run: (args) => {
      const result = z.record(z.string(), z.json()).parse(args)
      const summary = typeof result['summary'] === 'string' ? result['summary'] : 'The result was handed in.'
      return success(result, summary.slice(0, 300) || 'The result was handed in.')
    },
  })
