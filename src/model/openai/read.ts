import { isObject, tryParse } from '../../event/json.ts'
import { identified, isUnread, type ReadCall, readArguments, usageOf } from '../calls.ts'
import { errorInstead, noCompletion, quote, Unusable } from '../faults.ts'
import type { ModelAnswer } from '../model.ts'
import { callsInText } from './text-calls.ts'

/** What an answer is made of, whether it came whole or as a stream. */
export interface Parts {
  readonly text: string
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
  return {
    text: contentOf(message['content']) || contentOf(message['refusal']),
    calls: callsOf(message['tool_calls']),
    ...(typeof choice['finish_reason'] === 'string' ? { finish: choice['finish_reason'] } : {}),
    usage: body['usage'],
  }
}

/** The answer of its parts; calls that a server left in the text are found there. */
export function answerOf(parts: Parts, turn: number, toolNames: readonly string[]): ModelAnswer {
  const found = parts.calls.length > 0 ? parts : { ...parts, ...callsInText(parts.text, toolNames) }
  const cut = parts.finish === 'length' ? found.calls.find(isUnread) : undefined
  if (cut) {
    throw new Unusable(
      { kind: 'truncated', retry: false },
      `reached the limit of answer tokens in the middle of a call of "${quote(cut.tool)}". Raise that limit.`,
    )
  }
  const usage = isObject(parts.usage) ? parts.usage : {}
  return {
    text: found.text,
    calls: identified(found.calls, turn),
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
