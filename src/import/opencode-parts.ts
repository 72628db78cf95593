import { isObject, type JsonObject } from '../core/event/json.ts'
import { unpacked } from './packed.ts'
import { callOf, modelStep, resultStep, type Step } from './trajectory.ts'

/** A part that is complete: words, a thought, or a call with what came of it. */
export function stepsOfPart(part: JsonObject, isSummary = false): Step[] {
  const { type, text, messageID, tool, callID, state } = part
  const answer = typeof messageID === 'string' ? messageID : undefined
  if (type === 'text' && typeof text === 'string' && text !== '')
    return [modelStep({ answer, ...(isSummary ? { finish: 'compacted', completion: text } : { text }) })]
  if (type === 'reasoning' && typeof text === 'string' && text !== '')
    return [modelStep({ answer, completion: JSON.stringify({ type, text }) })]
  if (type !== 'tool' || typeof tool !== 'string' || !isObject(state)) return []
  const call_id = typeof callID === 'string' ? callID : undefined
  const { start, end } = isObject(state['time']) ? state['time'] : {}
  const took = typeof start === 'number' && typeof end === 'number' && end >= start ? [start, end] : undefined
  const [from, to] = took?.map((time) => new Date(time).toISOString()) ?? []
  const calls = [callOf(tool, state['input'] ?? {}, call_id)]
  const failed = state['status'] === 'error'
  if (!failed && state['status'] !== 'completed') return [modelStep({ answer, calls })]
  const duration_ms = took && Number(end) - Number(start)
  return [
    modelStep({ answer, calls, at: from }),
    {
      ...resultStep('', { call_id, is_error: failed || exitOf(state) !== 0, duration_ms, at: to }),
      ...(failed ? { output: state['error'] ?? 'failed' } : outputOf(state)),
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
  const usage = { prompt_tokens: input + read, completion_tokens: output }
  return [modelStep({ answer: id, usage, model: typeof modelID === 'string' ? modelID : undefined })]
}
