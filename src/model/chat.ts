import type { ToolDeclaration } from '../core/event/event.ts'
import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'
import type { ChatMessage } from '../core/memory/messages.ts'
import { sanitizeText, withoutControlTokens } from '../text/sanitize.ts'
import type { ModelRequest } from './model.ts'

type Message = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** The format `chat/1`. What a chat endpoint is sent: the instructions and the packet, or the transcript, or both with the packet last. */
export function messagesFor(request: ModelRequest): Message[] {
  const { messages = [], context = request.messages ? 'messages' : 'packet' } = request
  const transcript = context === 'packet' ? [] : messages.flatMap(transcribed)
  if (context === 'messages') return transcript
  const begun = transcript.some(({ role }) => role === 'system')
  const { instructions, body } = request.prompt
  return [
    ...(instructions === '' || begun ? [] : [{ role: 'system' as const, content: instructions }]),
    ...transcript,
    { role: 'user', content: body },
  ]
}

export const toolsFor = (tools: readonly ToolDeclaration[]): JsonObject[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description: withoutControlTokens(description), parameters: clean(parameters) },
  }))

function transcribed(message: ChatMessage): Message[] {
  switch (message.role) {
    case 'assistant': {
      const { content, tool_calls } = message
      // Servers refuse a turn of the model with nothing in it.
      if (content === '' && tool_calls.length === 0) return []
      const calls = tool_calls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function' as const,
        function: { name: nameOf(name), arguments: argumentsOf(text) },
      }))
      return [
        {
          role: 'assistant',
          content: withoutControlTokens(content),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
      ]
    }
    case 'tool':
      return [{ role: 'tool', tool_call_id: message.tool_call_id, content: sanitizeText(message.content) }]
    case 'user':
      return [{ role: 'user', content: withoutControlTokens(message.content) }]
    default:
      return [message]
  }
}

/** Servers refuse a whole transcript for one name of another form, such as a model made up. */
const nameOf = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64) || '_'

/** Templates write arguments as text or as values: neither may hold a control token, also none that JSON escapes. */
function argumentsOf(text: string): string {
  const parsed = tryParse(text)
  return parsed === undefined ? withoutControlTokens(text) : JSON.stringify(clean(parsed as Json))
}

function clean(value: Json): Json {
  if (typeof value === 'string') return withoutControlTokens(value)
  if (Array.isArray(value)) return value.map(clean)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [withoutControlTokens(key), clean(field as Json)]),
  )
}
