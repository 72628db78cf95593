import type { ToolDeclaration } from '../../event/event.ts'
import type { JsonObject } from '../../event/json.ts'
import type { ChatMessage } from '../../memory/messages.ts'
import { sanitizeText } from '../../prompt/sanitize.ts'
import type { ModelRequest } from '../model.ts'

/** A message of the chat API. */
type Message = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** What a chat endpoint is sent: the instructions and the packet, or the transcript, or both with the packet last. */
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
    function: { name, description, parameters },
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
        function: { name, arguments: text },
      }))
      return [{ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
    }
    case 'tool':
      return [{ role: 'tool', tool_call_id: message.tool_call_id, content: sanitizeText(message.content) }]
    default:
      return [message]
  }
}
