import { defined, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { countAt, listAt, messageText, objectAt, objectIn, textAt, timeIn, usageIn } from './fields.ts'
import { type About, aboutOf, type Format, type LineReader } from './format.ts'
import { callOf, modelStep, noteSteps, personSteps, resultStep, type Step } from './trajectory.ts'

/**
 * Gemini CLI's sessions: one object with all messages, or lines that add to it and change it. A message that comes again takes
 * the place of the one before.
 */
export const gemini: Format = {
  name: 'Gemini CLI',
  lines([head]) {
    if (!isHeader(head) || 'messages' in head) return undefined
    return { about: about(head), reader }
  },
  value(value) {
    if (!isHeader(value) || !Array.isArray(value['messages'])) return undefined
    return [{ ...about(value), steps: value['messages'].flatMap(stepsOf) }]
  },
}

const isHeader = (value: unknown): value is JsonObject =>
  textAt(value, 'sessionId') !== undefined && textAt(value, 'projectHash') !== undefined

function about(head: JsonObject): About {
  const session = textAt(head, 'sessionId')
  const origin = { session, project_hash: textAt(head, 'projectHash') }
  return aboutOf('gemini', { session, started: timeIn(head['startTime']) }, origin)
}

function reader(): LineReader {
  const messages = new Map<string, Json>()
  const add = (message: Json) => {
    const id = textAt(message, 'id')
    if (id !== undefined) messages.set(id, message)
  }
  return {
    step(line) {
      const set = objectAt(line, '$set')['messages']
      if (Array.isArray(set)) {
        messages.clear()
        set.forEach(add)
      }
      const back = textAt(line, '$rewindTo')
      if (back !== undefined && messages.has(back)) {
        const ids = [...messages.keys()]
        for (const id of ids.slice(ids.indexOf(back))) messages.delete(id)
      }
      if (textAt(line, 'type') !== undefined) add(line)
      return []
    },
    end: () => [...messages.values()].flatMap(stepsOf),
  }
}

function stepsOf(message: Json): Step[] {
  if (!isObject(message)) return []
  const at = timeIn(message['timestamp'])
  const text = messageText(message['content'])
  const { type, tokens } = message
  if (type === 'user') return personSteps(text, at)
  if (type !== 'gemini')
    return type === 'error'
      ? [{ kind: 'remark', where: 'gemini', text, ...defined({ at }) }]
      : noteSteps(text, at)
  const calls = listAt(message, 'toolCalls')
  const thoughts = listAt(message, 'thoughts')
  return [
    modelStep({
      answer: textAt(message, 'id') ?? '',
      text,
      calls: calls.map((call) => callOf(textAt(call, 'name'), objectAt(call, 'args'), textAt(call, 'id'))),
      model: textAt(message, 'model'),
      ...usageIn(countAt(tokens, 'input'), countAt(tokens, 'output')),
      completion: thoughts.length > 0 ? JSON.stringify({ thoughts, text }) : undefined,
      at,
    }),
    ...calls.flatMap(resultOf),
  ]
}

function resultOf(call: Json): Step[] {
  const status = textAt(call, 'status')
  const answers = listAt(call, 'result')
  const isBad = status === 'error' || status === 'cancelled'
  if (answers.length === 0 && !isBad) return []
  const [only] = answers.map((one) => objectAt(objectAt(one, 'functionResponse'), 'response'))
  const text = textAt(only, 'output') ?? textAt(only, 'error')
  const given = answers.length > 0 ? [...answers] : (textAt(call, 'resultDisplay') ?? status ?? null)
  const isText = answers.length === 1 && text !== undefined
  return [
    resultStep(isText ? text : given, {
      ...(isText ? { packed: JSON.stringify(answers) } : {}),
      is_error: isBad || textAt(only, 'error') !== undefined,
      call_id: textAt(call, 'id'),
      at: timeIn(objectIn(call)['timestamp']),
    }),
  ]
}
