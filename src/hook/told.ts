import { isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { textAt } from '../import/fields.ts'
import { callOf, modelStep, personSteps, resultStep, type Step } from '../import/trajectory.ts'
import type { Told } from './harness.ts'

/** Claude Code's form of what a hook is told, which Codex took over. */
export function toldByEvent(payload: JsonObject): Told | undefined {
  const { session_id, agent_id } = payload
  if (typeof session_id !== 'string' || session_id === '') return undefined
  const helper = typeof agent_id === 'string' && agent_id !== '' ? { helper: agent_id } : {}
  return { session: session_id, ...helper, steps: stepsOf(payload) }
}

function stepsOf(payload: JsonObject): Step[] {
  const at = (field: string): string => textAt(payload, field) ?? ''
  const model = textAt(payload, 'model')
  const lastWords = (): Step[] => {
    const text = at('last_assistant_message')
    return text.trim() === '' ? [] : [modelStep({ text, model })]
  }
  switch (payload['hook_event_name']) {
    case 'UserPromptSubmit':
      return personSteps(at('prompt'))
    case 'PostToolUse':
      return finished(payload, payload['tool_response'] ?? null, null)
    case 'PostToolUseFailure':
      return finished(payload, payload['error'] ?? 'failed', true)
    case 'Stop':
      return lastWords()
    case 'SubagentStop':
      // One without a kind is the harness's own, such as the one that makes its summaries.
      return payload['agent_type'] === '' ? [] : lastWords()
    case 'PostCompact': {
      const completion = at('compact_summary')
      return completion.trim() === '' ? [] : [modelStep({ finish: 'compacted', completion, model })]
    }
    default:
      return []
  }
}

function finished(payload: JsonObject, response: Json, is_error: true | null): Step[] {
  const { tool_input = {}, duration_ms } = payload
  const tool = textAt(payload, 'tool_name')
  if (tool === undefined) return []
  const call_id = textAt(payload, 'tool_use_id')
  return [
    modelStep({ calls: [callOf(tool, tool_input, call_id)] }),
    resultStep(response, {
      call_id,
      is_error: isObject(response) && response['isError'] === true ? true : is_error,
      duration_ms: typeof duration_ms === 'number' && duration_ms >= 0 ? duration_ms : undefined,
    }),
  ]
}
