import { type Agent, agentSchema, type Rule } from '../../src/agent/agent.ts'
import { submitTool } from '../../src/agent/submit.ts'
import type { JsonObject } from '../../src/event/json.ts'
import type { Tool } from '../../src/tool/tool.ts'

export const submitSchema: JsonObject = {
  type: 'object',
  properties: { summary: { type: 'string' }, count: { type: 'integer' } },
  required: ['summary'],
  additionalProperties: false,
}

/** An agent with these tools and `submit_result`. */
export function agentWith(tools: readonly Tool[], candidates: readonly Rule[] = []): Agent {
  const definition = agentSchema.parse({
    name: 'tester',
    description: 'Tests the run.',
    languages: ['python'],
    node_types: ['file'],
    prompt: 'Do what the goal says.',
    node_template: 'Test {{file_path}}.',
    tools: ['none'],
    candidates,
    submit: submitSchema,
  })
  return {
    definition,
    operation: 'tester',
    tools: [...tools, submitTool(submitSchema)],
    context: [],
    summarizers: {},
    source: 'test',
  }
}
