import { isObject, tryParse } from '../../event/json.ts'
import { identified, isUnread, type ReadCall, readArguments, usageOf } from '../calls.ts'
import { errorInstead, noCompletion, quote, Unusable } from '../faults.ts'
import type { ModelAnswer } from '../model.ts'
import { callsInText } from './text-calls.ts'

/** What an answer is made of, whether it came whole or as a stream. */
export interface Parts {
  readonly text: string
  /** The text is a refusal: nothing in it is a call. */
  readonly refused?: boolean
  readonly calls: readonly ReadCall[]
  readonly finish?: string
  readonly usage?: unknown
}

/** The parts of a chat completion. Of several choices the first counts. */
export function partsOf(text: string): Parts {
  const body = tryParse(text)
  const choices = isObject(body) ? body['choices'] : undefined
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(choice) ? choice['message'] : undefined
  if (isObject(body) && !choice && isObject(body['error'])) throw errorInstead(body)
  if (!isObject(body) || !isObject(choice) || !isObject(message)) throw noCompletion(text)
  const content = contentOf(message['content'])
  const refusal = contentOf(message['refusal'])
  return {
    text: content || refusal,
    refused: refusal !== '',
    calls: callsOf(message['tool_calls']),
    ...(typeof choice['finish_reason'] === 'string' ? { finish: choice['finish_reason'] } : {}),
    usage: body['usage'],
  }
}

/** The answer of its parts. Calls are looked for in the text only where the names of tools are given for that. */
export function answerOf(parts: Parts, turn: number, inText: readonly string[] = []): ModelAnswer {
  const structured = parts.calls.length > 0 || parts.refused
  const left = structured ? undefined : callsInText(parts.text, inText)
  const calls = left ?? parts.calls
  const cut = parts.finish === 'length' ? calls.find(isUnread) : undefined
  if (cut) {
    throw new Unusable(
      { kind: 'truncated', retry: false },
      `reached the limit of answer tokens in the middle of a call of "${quote(cut.tool)}". Raise that limit.`,
    )
  }
  const usage = isObject(parts.usage) ? parts.usage : {}
  return {
    text: left ? '' : parts.text,
    calls: identified(calls, turn),
    ...usageOf(usage['prompt_tokens'], usage['completion_tokens']),
    ...(parts.finish === undefined ? {} : { finish: parts.finish }),
  }
}

/** Text, or a list of parts of which some are text. */
export function contentOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function callsOf(given: unknown): ReadCall[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((call: unknown) => {
    const called = isObject(call) && isObject(call['function']) ? call['function'] : undefined
    if (!isObject(call) || typeof called?.['name'] !== 'string') return []
    return [
      {
        ...(typeof call['id'] === 'string' ? { id: call['id'] } : {}),
        tool: called['name'],
        args: readArguments(called['arguments']),
      },
    ]
  })
}
