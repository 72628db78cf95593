import { isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { unpacked } from '../import/packed.ts'
import type { Step } from '../import/trajectory.ts'
import type { Told } from './harness.ts'

/** Claude Code's form of what a hook is told, which Codex took over. */
export function toldByEvent(payload: JsonObject): Told | undefined {
  const { session_id, agent_id } = payload
  if (typeof session_id !== 'string' || session_id === '') return undefined
  const helper = typeof agent_id === 'string' && agent_id !== '' ? { helper: agent_id } : {}
  return { session: session_id, ...helper, steps: stepsOf(payload) }
}

function stepsOf(payload: JsonObject): Step[] {
  switch (payload['hook_event_name']) {
    case 'UserPromptSubmit':
      return textAt(payload, 'prompt', (text) => ({ kind: 'person', text }))
    case 'PostToolUse':
      return finished(payload, payload['tool_response'] ?? null, null)
    case 'PostToolUseFailure':
      return finished(payload, payload['error'] ?? 'failed', true)
    case 'Stop':
      return lastWords(payload)
    case 'SubagentStop':
      // One without a kind is the harness's own, such as the one that makes its summaries.
      return payload['agent_type'] === '' ? [] : lastWords(payload)
    case 'PostCompact':
      return textAt(payload, 'compact_summary', (completion) => ({
        kind: 'model',
        text: '',
        calls: [],
        finish: 'compacted',
        completion,
        ...modelIn(payload),
      }))
    default:
      return []
  }
}

const lastWords = (payload: JsonObject): Step[] =>
  textAt(payload, 'last_assistant_message', (text) => ({
    kind: 'model',
    text,
    calls: [],
    ...modelIn(payload),
  }))

function finished(payload: JsonObject, response: Json, is_error: true | null): Step[] {
  const { tool_name, tool_input = {}, tool_use_id, duration_ms } = payload
  if (typeof tool_name !== 'string') return []
  const id = typeof tool_use_id === 'string' ? { call_id: tool_use_id } : {}
  return [
    { kind: 'model', text: '', calls: [{ tool: tool_name, args: tool_input, ...id }] },
    {
      kind: 'result',
      ...id,
      ...unpacked(response),
      is_error: isObject(response) && response['isError'] === true ? true : is_error,
      ...(typeof duration_ms === 'number' && duration_ms >= 0 ? { duration_ms } : {}),
    },
  ]
}

function textAt(payload: JsonObject, field: string, made: (text: string) => Step): Step[] {
  const text = payload[field]
  return typeof text === 'string' && text.trim() !== '' ? [made(text)] : []
}

const modelIn = ({ model }: JsonObject) => (typeof model === 'string' ? { model } : {})
