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
  const firstUser = spoken.find((item): item is Message => item.kind === 'user')
  return {
    goal: firstUser?.text ?? `Imported from ${name}`,
    instructions: spoken.flatMap((item) => (item.kind === 'system' ? [item.text] : [])).join('\n'),
    origin: { file: name },
    steps: stepsOf(spoken, firstUser),
  }
}

type Answer = { kind: 'answer'; id: string; tool: string; output: Json; is_error: boolean | null }
type Message = { kind: 'system' | 'user' | 'assistant'; text: string }
type Utterance = Message | { kind: 'call'; id: string; tool: string; args: Json } | Answer

type OpenCall = { -readonly [Key in keyof FinishedCall]: FinishedCall[Key] }

/**
 * What an agent says and calls without an answer in between is one turn. An answer belongs to the oldest call of
 * its id that has none yet, since some harnesses count their ids anew; one without a call is kept as its own turn.
 */
function stepsOf(spoken: readonly Utterance[], goal: Utterance | undefined): Step[] {
  const steps: Step[] = []
  const waiting = new Map<string, OpenCall[]>()
  let open: { text: string; calls: OpenCall[] } | undefined
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
      const call: OpenCall = { call_id: item.id, tool: item.tool, args: item.args, is_error: null }
      open.calls.push(call)
      waiting.set(item.id, [...(waiting.get(item.id) ?? []), call])
    } else if (item.kind === 'answer') {
      close()
      const { id, tool, output, is_error } = item
      const call = waiting.get(id)?.shift()
      if (call) Object.assign(call, { output, is_error })
      else steps.push({ kind: 'turn', text: '', calls: [{ call_id: id, tool, args: {}, output, is_error }] })
    }
  }
  close()
  return steps
}

function utterancesOf(message: Record<string, unknown>): Utterance[] {
  const { role, type } = message
  if (type === 'function_call')
    return [
      callOf(message['call_id'] ?? message['callId'] ?? message['id'], message['name'], message['arguments']),
    ]
  if (type === 'function_call_output' || type === 'function_call_result') {
    return [
      answerOf(message['call_id'] ?? message['callId'], textIn(message['output']), null, message['name']),
    ]
  }
  if (typeof role !== 'string') return []
  if (role === 'tool' && !Array.isArray(message['content']))
    return [answerOf(message['tool_call_id'], message['content'], null, message['name'])]
  if (role === 'function') return [answerOf(message['name'], message['content'], null, message['name'])]
  const parts = partsOf(message).flatMap((part) => utterancesOfPart(part, role))
  const calls = Array.isArray(message['tool_calls'])
    ? message['tool_calls'].filter(isObject).map(chatCall)
    : isObject(message['function_call']) // what chat calls were before there were several
      ? [chatCall(message['function_call'])]
      : []
  // A tool message whose content is a list of text parts is one answer.
  if (role === 'tool' && message['tool_call_id'] !== undefined) {
    return [answerOf(message['tool_call_id'], textIn(message['content']), null, message['name'])]
  }
  return [...parts, ...calls]
}

const partsOf = (message: Record<string, unknown>): unknown[] => {
  const content = message['parts'] ?? message['content']
  return Array.isArray(content) ? content : content === undefined || content === null ? [] : [content]
}

function utterancesOfPart(part: unknown, role: unknown): Utterance[] {
  if (typeof part === 'string') return part === '' ? [] : [messageOf(role, part)]
  if (!isObject(part)) return []
  const { type } = part
  if (typeof part['text'] === 'string' && type !== 'reasoning') return [messageOf(role, part['text'])]
  if (type === 'tool-call')
    return [callOf(part['toolCallId'], part['toolName'], part['input'] ?? part['args'])]
  if (type === 'tool-result')
    return [
      answerOf(
        part['toolCallId'],
        unwrapped(part['output'] ?? part['result']),
        failedOf(part),
        part['toolName'],
      ),
    ]
  if (type === 'tool_use') return [callOf(part['id'], part['name'], part['input'])]
  if (type === 'tool_result')
    return [answerOf(part['tool_use_id'], textIn(part['content']), part['is_error'] === true ? true : null)]
  if (type === 'tool-invocation' && isObject(part['toolInvocation']))
    return invocation(part['toolInvocation'])
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

/** AI SDK 4: one part for a call and its result. */
function invocation(part: Record<string, unknown>): Utterance[] {
  const call = callOf(part['toolCallId'], part['toolName'], part['args'])
  return part['state'] === 'result' ? [call, answerOf(part['toolCallId'], part['result'], null)] : [call]
}

const messageOf = (role: unknown, text: string): Utterance => ({
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

const answerOf = (id: unknown, output: unknown, is_error: boolean | null, tool?: unknown): Answer => ({
  kind: 'answer',
  id: String(id),
  tool: typeof tool === 'string' ? tool : 'unknown',
  output: (output ?? null) as Json,
  is_error,
})

/** Output given as one or more blocks of text is that text; anything else stays as it is. */
function textIn(output: unknown): unknown {
  const blocks = Array.isArray(output) ? output : [output]
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['type'] === 'string' && typeof block['text'] === 'string'
      ? [block['text']]
      : [],
  )
  return blocks.length > 0 && texts.length === blocks.length ? texts.join('\n') : output
}

/** AI SDK 5 wraps outputs as `{type: 'text' | 'json' | 'error-text', value}`. */
const unwrapped = (output: unknown): unknown =>
  isObject(output) && typeof output['type'] === 'string' && 'value' in output ? output['value'] : output

const failedOf = (part: Record<string, unknown>): boolean | null => {
  const output = part['output']
  if (isObject(output) && typeof output['type'] === 'string' && output['type'].startsWith('error'))
    return true
  return part['isError'] === true ? true : null
}
