import type { ToolDeclaration } from '../../core/event/event.ts'
import { isObject, type Json, type JsonObject, toJson, tryParse } from '../../core/event/json.ts'
import type { ChatMessage } from '../../core/memory/messages.ts'
import type { Prompt } from '../../core/view/prompt.ts'
import { sanitizeLine, sanitizeText, withoutControlTokens } from '../../text/sanitize.ts'
import * as token from '../gemma-notation/tokens.ts'
import type { ModelRequest } from '../model.ts'
import { declared } from './schema.ts'

/** The sentence that the model was trained to answer with calls. */
const TRIGGER = 'You are a model that can do function calling with the following functions'

/**
 * Three turns: the tools; the packet, the transcript, or the transcript and then the packet; and the model's, left
 * open. Servers put `<bos>` before a prompt themselves, so it is left out unless asked for.
 */
export function renderRequest(
  request: Pick<ModelRequest, 'tools' | 'messages' | 'context'> & { prompt: Pick<Prompt, 'text'> },
  { bos = false }: { bos?: boolean } = {},
): string {
  const { prompt, tools, messages = [], context = request.messages ? 'messages' : 'packet' } = request
  const packet = { role: 'user' as const, content: prompt.text }
  const shown = context === 'packet' ? [packet] : context === 'both' ? [...messages, packet] : messages
  const developer = `${token.TURN}developer\n${TRIGGER}${renderDeclarations(tools)}${token.END_TURN}\n`
  return (bos ? token.BOS : '') + developer + renderTranscript(shown)
}

/**
 * The declarations of the tools, one after the other. Descriptions are sanitized: tools may come from others.
 * @internal
 */
export const renderDeclarations = (tools: readonly ToolDeclaration[]): string =>
  tools
    .map(({ name, description, parameters }) => {
      const body = {
        description: sanitizeText(description),
        parameters: { type: 'OBJECT', ...declared(parameters) },
      }
      return `${token.DECLARATION}declaration:${sanitizeLine(name)}${renderObject(body)}${token.END_DECLARATION}`
    })
    .join('')

/**
 * A transcript as the model was shown them: calls and responses follow each other within one turn of the model,
 * which a word of the user ends. The last turn is the model's, left open.
 * @internal
 */
export function renderTranscript(messages: readonly ChatMessage[]): string {
  let speaker: 'user' | 'model' | undefined
  let text = ''
  const add = (who: 'user' | 'model', content: string) => {
    if (who !== speaker) text += `${speaker ? `${token.END_TURN}\n` : ''}${token.TURN}${who}\n`
    else if (who === 'user') text += '\n\n'
    speaker = who
    text += content
  }
  for (const message of messages) {
    const content = withoutControlTokens(message.content)
    if (message.role === 'tool') add('model', renderResponse(message.name, message.content))
    else if (message.role === 'assistant')
      add(
        'model',
        content + message.tool_calls.map((call) => renderCall(call.name, objectIn(call.arguments))).join(''),
      )
    else add('user', content)
  }
  add('model', '')
  return text
}

/**
 * A call as the model writes it.
 * @internal
 */
export const renderCall = (tool: string, args: JsonObject): string =>
  `${token.CALL}call:${sanitizeLine(tool)}${renderObject(args)}${token.END_CALL}`

const renderResponse = (tool: string, content: string): string =>
  `${token.RESPONSE}response:${sanitizeLine(tool)}${renderObject({ result: sanitizeText(content) })}${token.END_RESPONSE}`

function objectIn(text: string): JsonObject {
  const parsed = tryParse(text)
  const json = isObject(parsed) ? toJson(parsed) : { arguments: text }
  return isObject(json) ? json : {}
}

/**
 * A value in FunctionGemma's notation: strings between `<escape>`s, everything else bare, keys in order. A key
 * that could be mistaken for notation stands between `<escape>`s too, which the published template also does.
 */
function renderValue(value: Json): string {
  if (typeof value === 'string') return token.ESCAPE + withoutControlTokens(value) + token.ESCAPE
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(renderValue).join(',')}]`
  return renderObject(value)
}

function renderObject(fields: JsonObject): string {
  const parts = Object.entries(fields)
    .sort(([a], [b]) => inOrder(a, b))
    .map(([key, value]) => `${renderKey(key)}:${renderValue(value)}`)
  return `{${parts.join(',')}}`
}

/** As the published template sorts: letters regardless of case, then by code unit. */
function inOrder(a: string, b: string): number {
  const [low, high] = [a.toLowerCase(), b.toLowerCase()]
  if (low !== high) return low < high ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

const renderKey = (key: string): string =>
  /^[A-Za-z_$][A-Za-z0-9_$.-]*$/.test(key) ? key : token.ESCAPE + withoutControlTokens(key) + token.ESCAPE
