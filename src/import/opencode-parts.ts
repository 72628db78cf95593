import { isObject, type JsonObject } from '../core/event/json.ts'
import { unpacked } from './packed.ts'
import type { ModelStep, Step } from './trajectory.ts'

/** A part that is complete: words, a thought, or a call with what came of it. */
export function stepsOfPart(part: JsonObject, isSummary = false): Step[] {
  const { type, text, messageID, tool, callID, state } = part
  const answer = typeof messageID === 'string' ? { answer: messageID } : {}
  const said = (step: Partial<ModelStep>): Step[] => [
    { kind: 'model', text: '', calls: [], ...answer, ...step },
  ]
  if (type === 'text' && typeof text === 'string' && text !== '')
    return said(isSummary ? { finish: 'compacted', completion: text } : { text })
  if (type === 'reasoning' && typeof text === 'string' && text !== '')
    return said({ completion: JSON.stringify({ type, text }) })
  if (type !== 'tool' || typeof tool !== 'string' || !isObject(state)) return []
  const id = typeof callID === 'string' ? { call_id: callID } : {}
  const called = said({ calls: [{ ...id, tool, args: state['input'] ?? {} }] })
  const failed = state['status'] === 'error'
  if (!failed && state['status'] !== 'completed') return called
  const { start, end } = isObject(state['time']) ? state['time'] : {}
  const isTimed = typeof start === 'number' && typeof end === 'number' && end >= start
  const result = failed ? { output: state['error'] ?? 'failed' } : outputOf(state)
  return [
    ...called.map((step) => (isTimed ? { ...step, at: new Date(start).toISOString() } : step)),
    {
      kind: 'result',
      ...id,
      ...result,
      is_error: failed || exitOf(state) !== 0,
      ...(isTimed ? { duration_ms: end - start, at: new Date(end).toISOString() } : {}),
    },
  ]
}

/** A viewer's marks around a file's text stay out where the text stands beside them. */
function outputOf(state: JsonObject) {
  const { metadata, output = '' } = state
  const display = isObject(metadata) ? metadata['display'] : undefined
  if (!isObject(display) || display['type'] !== 'file' || typeof display['text'] !== 'string')
    return unpacked(output)
  return { output: display['text'], packed: JSON.stringify(output) }
}

const exitOf = ({ metadata }: JsonObject): number => {
  const exit = isObject(metadata) ? metadata['exit'] : undefined
  return typeof exit === 'number' ? exit : 0
}

/** What a whole answer took. */
export function stepsOfMessage({ id, modelID, tokens }: JsonObject): Step[] {
  if (!isObject(tokens) || typeof id !== 'string') return []
  const { input, output, cache } = tokens
  const read = isObject(cache) && typeof cache['read'] === 'number' ? cache['read'] : 0
  if (typeof input !== 'number' || typeof output !== 'number') return []
  return [
    {
      kind: 'model',
      answer: id,
      text: '',
      calls: [],
      usage: { prompt_tokens: input + read, completion_tokens: output },
      ...(typeof modelID === 'string' ? { model: modelID } : {}),
    },
  ]
}
