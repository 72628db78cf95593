import { isObject, type Json, tryParse } from '../event/json.ts'
import type { FinishedCall, Step, Trajectory } from './trajectory.ts'

/**
 * A list of messages: OpenAI chat (`tool_calls`, role `tool`), OpenAI Agents and Responses items
 * (`function_call`, `function_call_output`), AI SDK messages (`tool-call`, `tool-result` parts) and AI SDK UI
 * messages (`parts`). All are read into one flat list of what was said, called and answered.
 */
export function fromMessages(value: unknown, name: string): Trajectory | undefined {
  const list = Array.isArray(value)
    ? value
    : isObject(value)
      ? (value['messages'] ?? value['items'] ?? value['input'])
      : undefined
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return undefined
  const spoken = list.flatMap(utterancesOf)
  if (spoken.length === 0) return undefined
  const answers = new Map<string, Answer>()
  for (const item of spoken) if (item.kind === 'answer') answers.set(item.id, item)
  const firstUser = spoken.find((item): item is Said => item.kind === 'user')
  return {
    goal: firstUser?.text ?? `Imported from ${name}`,
    instructions: spoken.flatMap((item) => (item.kind === 'system' ? [item.text] : [])).join('\n'),
    origin: { file: name },
    steps: stepsOf(spoken, answers, firstUser),
  }
}

type Answer = { kind: 'answer'; id: string; output: Json; is_error: boolean | null }
type Said = { kind: 'system' | 'user' | 'assistant'; text: string }
type Utterance = Said | { kind: 'call'; id: string; tool: string; args: Json } | Answer

/** What an agent says and calls without an answer in between is one turn. */
function stepsOf(
  spoken: readonly Utterance[],
  answers: Map<string, Answer>,
  goal: Utterance | undefined,
): Step[] {
  const steps: Step[] = []
  let open: { text: string; calls: FinishedCall[] } | undefined
  const close = () => {
    if (open && (open.calls.length > 0 || open.text !== '')) steps.push({ kind: 'turn', ...open })
    open = undefined
  }
  for (const item of spoken) {
    if (item.kind === 'user') {
      close()
      if (item !== goal) steps.push({ kind: 'user', text: item.text })
    } else if (item.kind === 'assistant') {
      if (open && open.calls.length > 0) close()
      open = { text: [open?.text, item.text].filter(Boolean).join('\n'), calls: open?.calls ?? [] }
    } else if (item.kind === 'call') {
      open ??= { text: '', calls: [] }
      const answer = answers.get(item.id)
      open.calls.push({
        call_id: item.id,
        tool: item.tool,
        args: item.args,
        ...(answer ? { output: answer.output } : {}),
        is_error: answer?.is_error ?? null,
      })
    } else if (item.kind === 'answer') close()
  }
  close()
  return steps
}

function utterancesOf(message: Record<string, unknown>): Utterance[] {
  const { role, type } = message
  if (type === 'function_call')
    return [
      callOf(message['call_id'] ?? message['id'] ?? message['callId'], message['name'], message['arguments']),
    ]
  if (type === 'function_call_output' || type === 'function_call_result') {
    return [answerOf(message['call_id'] ?? message['callId'], message['output'], null)]
  }
  if (role === 'tool' && !Array.isArray(message['content']))
    return [answerOf(message['tool_call_id'], message['content'], null)]
  if (role === 'function') return [answerOf(message['name'], message['content'], null)]
  const parts = partsOf(message).flatMap((part) => utterancesOfPart(part, role))
  const calls = Array.isArray(message['tool_calls'])
    ? message['tool_calls'].filter(isObject).map(chatCall)
    : []
  // A tool message whose content is a list of text parts is one answer.
  if (role === 'tool' && message['tool_call_id'] !== undefined) {
    return [
      answerOf(
        message['tool_call_id'],
        parts.map((part) => ('text' in part ? part.text : '')).join('\n'),
        null,
      ),
    ]
  }
  return [...parts, ...calls]
}

const partsOf = (message: Record<string, unknown>): unknown[] => {
  const content = message['parts'] ?? message['content']
  return Array.isArray(content) ? content : content === undefined || content === null ? [] : [content]
}

function utterancesOfPart(part: unknown, role: unknown): Utterance[] {
  if (typeof part === 'string') return part === '' ? [] : [said(role, part)]
  if (!isObject(part)) return []
  const { type } = part
  if (typeof part['text'] === 'string' && type !== 'reasoning') return [said(role, part['text'])]
  if (type === 'tool-call')
    return [callOf(part['toolCallId'], part['toolName'], part['input'] ?? part['args'])]
  if (type === 'tool-result')
    return [answerOf(part['toolCallId'], unwrapped(part['output'] ?? part['result']), failedOf(part))]
  if (type === 'tool_use') return [callOf(part['id'], part['name'], part['input'])]
  if (type === 'tool_result')
    return [answerOf(part['tool_use_id'], part['content'], part['is_error'] === true ? true : null)]
  if (type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-')))
    return uiTool(part, type)
  return []
}

function uiTool(part: Record<string, unknown>, type: string): Utterance[] {
  const call = callOf(part['toolCallId'], part['toolName'] ?? type.slice('tool-'.length), part['input'])
  if (part['state'] === 'output-available') return [call, answerOf(part['toolCallId'], part['output'], false)]
  if (part['state'] === 'output-error') return [call, answerOf(part['toolCallId'], part['errorText'], true)]
  return [call]
}

const said = (role: unknown, text: string): Utterance => ({
  kind: role === 'system' || role === 'developer' ? 'system' : role === 'user' ? 'user' : 'assistant',
  text,
})

const chatCall = (call: Record<string, unknown>): Utterance => {
  const target = isObject(call['function']) ? call['function'] : call
  return callOf(call['id'] ?? target['name'], target['name'], target['arguments'] ?? target['args'])
}

function callOf(id: unknown, tool: unknown, args: unknown): Utterance {
  const parsed = typeof args === 'string' ? (tryParse(args) ?? args) : args
  return {
    kind: 'call',
    id: String(id),
    tool: typeof tool === 'string' ? tool : 'unknown',
    args: (parsed ?? {}) as Json,
  }
}

const answerOf = (id: unknown, output: unknown, is_error: boolean | null): Answer => ({
  kind: 'answer',
  id: String(id),
  output: (output ?? null) as Json,
  is_error,
})

/** AI SDK 5 wraps outputs as `{type: 'text' | 'json' | 'error-text', value}`. */
const unwrapped = (output: unknown): unknown =>
  isObject(output) && typeof output['type'] === 'string' && 'value' in output ? output['value'] : output

const failedOf = (part: Record<string, unknown>): boolean | null => {
  const output = part['output']
  if (isObject(output) && typeof output['type'] === 'string' && output['type'].startsWith('error'))
    return true
  return part['isError'] === true ? true : null
}
