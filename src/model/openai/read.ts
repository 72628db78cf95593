import { isObject } from '../../event/json.ts'
import { identified, type ReadCall, readArguments, usageOf } from '../calls.ts'
import { noCompletion, quote, Unusable } from '../faults.ts'
import type { ModelAnswer } from '../model.ts'
import { callsInText } from './text-calls.ts'

/**
 * The answer in a chat completion; of several choices the first counts. Calls are looked for in the text only where
 * the names of tools are given for that, and never in a refusal.
 */
export function answerOf(body: unknown, turn: number, inText: readonly string[] = []): ModelAnswer {
  const choices = isObject(body) ? body['choices'] : undefined
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(choice) ? choice['message'] : undefined
  if (!isObject(body) || !isObject(choice) || !isObject(message))
    throw noCompletion(JSON.stringify(body) ?? '')
  const content = contentOf(message['content'])
  const refusal = contentOf(message['refusal'])
  const finish = choice['finish_reason']
  const structured = callsOf(message['tool_calls'])
  const left = structured.length > 0 || refusal !== '' ? undefined : callsInText(content, inText)
  const calls = left ?? structured
  const cut = finish === 'length' ? calls.find(({ args }) => !isObject(args)) : undefined
  if (cut) {
    const what = `reached the limit of answer tokens in the middle of a call of "${quote(cut.tool)}".`
    throw new Unusable('truncated', false, `${what} Raise that limit.`)
  }
  const usage = isObject(body['usage']) ? body['usage'] : {}
  return {
    text: left ? '' : content || refusal,
    calls: identified(calls, turn),
    ...usageOf(usage['prompt_tokens'], usage['completion_tokens']),
    ...(typeof finish === 'string' ? { finish } : {}),
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
  return given.flatMap((call: unknown): ReadCall[] => {
    const called = isObject(call) && isObject(call['function']) ? call['function'] : undefined
    if (!isObject(call) || typeof called?.['name'] !== 'string') return []
    const id = typeof call['id'] === 'string' ? { id: call['id'] } : {}
    return [{ ...id, tool: called['name'], args: readArguments(called['arguments']) }]
  })
}
