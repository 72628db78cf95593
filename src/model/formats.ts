import type { ToolDeclaration } from '../core/event/event.ts'
import { canonical, type JsonObject, toJson } from '../core/event/json.ts'
import type { Tokenizer } from '../core/tokens/tokenizer.ts'
import { declare } from '../core/view/prompt.ts'
import { TwotrackError } from '../errors.ts'
import { messagesFor, toolsFor } from './chat.ts'
import { renderRequest } from './functiongemma/prompt.ts'
import type { ModelRequest } from './model.ts'

type Format = (request: ModelRequest) => string

/** How each format makes the exact text that a model is given, so that `verify` can make it again. */
const formats: Readonly<Record<string, Format>> = {
  text: plainText,
  'functiongemma/1': (request) => renderRequest(request),
  'functiongemma/1+bos': (request) => renderRequest(request, { bos: true }),
  'chat/1': (request) =>
    canonical(toJson({ messages: messagesFor(request), tools: toolsFor(request.tools) })),
}

/** The packet alone; a transcript stands before it or in its place, one message a line, the tools above it. */
function plainText({ prompt, messages = [], context = 'packet' }: ModelRequest): string {
  if (context === 'packet') return prompt.text
  const transcript = messages.map((message) => canonical(toJson(message)))
  const both = context === 'both' ? ['', prompt.text] : []
  return [prompt.declarations, '', ...transcript, ...both].join('\n')
}

function renderFor(format: string, request: ModelRequest): string {
  const render = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (!render) {
    const known = Object.keys(formats).join(', ')
    throw new TwotrackError('bad_argument', `There is no prompt format "${format}"; there are: ${known}.`)
  }
  return render(request)
}

/**
 * What is given to a model that sends a body, and the body itself: what the format serves, and the parameters beside it, which
 * never take its place. Every object in it has one order, whoever makes it again.
 */
export function bodyFor(format: string, request: ModelRequest, parameters: JsonObject): string {
  const beside = JSON.parse(canonical(parameters)) as JsonObject
  if (format !== 'chat/1') return JSON.stringify({ ...beside, prompt: renderFor(format, request) })
  const tools = toolsFor(JSON.parse(canonical(toJson(request.tools))))
  return JSON.stringify({ ...beside, messages: messagesFor(request), ...(tools.length > 0 ? { tools } : {}) })
}

/** The exact text that a request gives a model: its body, where it has parameters. */
export const givenFor = (format: string, request: ModelRequest, parameters?: JsonObject): string =>
  parameters ? bodyFor(format, request, parameters) : renderFor(format, request)

/** What counts of a request. Of a chat it is what its messages hold: JSON's escapes are not read by any model. */
export function countedFor(format: string, request: ModelRequest): string {
  if (format !== 'chat/1') return renderFor(format, request)
  const messages = messagesFor(request).flatMap((message) => [
    message.role,
    typeof message.content === 'string' ? message.content : '',
    ...('tool_calls' in message && message.tool_calls ? [canonical(toJson(message.tool_calls))] : []),
  ])
  return [canonical(toJson(toolsFor(request.tools))), ...messages].join('\n')
}

/** What a format adds around the prompt's text and its declarations, in tokens. */
export function frameTokens(format: string, tools: readonly ToolDeclaration[], tokenizer: Tokenizer): number {
  // No format reads the packet itself.
  const empty = { instructions: '', body: '', text: '', declarations: '', packet: {} as never, tokens: 0 }
  const framed = countedFor(format, { prompt: empty, tools, callRequired: true })
  // One more: an estimate rounds each of its counts up.
  return Math.max(0, tokenizer.count(framed) - tokenizer.count(declare(tools))) + 1
}
