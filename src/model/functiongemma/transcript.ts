import { isObject, type JsonObject, toJson, tryParse } from '../../event/json.ts'
import type { ChatMessage } from '../../memory/messages.ts'
import { sanitizeLine, sanitizeText, withoutControlTokens } from '../../prompt/sanitize.ts'
import { END_RESPONSE, END_TURN, RESPONSE, TURN } from '../gemma-notation/tokens.ts'
import { renderCall } from './call.ts'
import { renderObject } from './value.ts'

/**
 * A transcript as the model was shown them: calls and responses follow each other within one turn of the model,
 * which a word of the user ends. The last turn is the model's, left open.
 */
export function renderTranscript(messages: readonly ChatMessage[]): string {
  let speaker: 'user' | 'model' | undefined
  let text = ''
  const add = (who: 'user' | 'model', content: string) => {
    if (who !== speaker) text += `${speaker ? `${END_TURN}\n` : ''}${TURN}${who}\n`
    else if (who === 'user') text += '\n\n'
    speaker = who
    text += content
  }
  for (const message of messages) {
    if (message.role === 'tool') add('model', renderResponse(message.name, message.content))
    else if (message.role === 'assistant') add('model', renderTurn(message))
    else add('user', withoutControlTokens(message.content))
  }
  add('model', '')
  return text
}

function renderTurn(message: Extract<ChatMessage, { role: 'assistant' }>): string {
  const calls = message.tool_calls.map(({ name, arguments: text }) => renderCall(name, objectIn(text)))
  return withoutControlTokens(message.content) + calls.join('')
}

const renderResponse = (tool: string, content: string): string =>
  `${RESPONSE}response:${sanitizeLine(tool)}${renderObject({ result: sanitizeText(content) })}${END_RESPONSE}`

function objectIn(text: string): JsonObject {
  const parsed = tryParse(text)
  const json = isObject(parsed) ? toJson(parsed) : { arguments: text }
  return isObject(json) ? json : {}
}
