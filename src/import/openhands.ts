import { isObject, type JsonObject } from '../core/event/json.ts'
import { argumentsIn, listAt, messageText, objectAt, textAt, timeIn } from './fields.ts'
import { type About, aboutOf, type Format } from './format.ts'
import { textOfBlocks } from './packed.ts'
import { callOf, modelStep, personSteps, resultStep, type Step } from './trajectory.ts'

/**
 * OpenHands' events, a line each or as a list: actions and observations that name each other, of the agent SDK (`kind`) or
 * of versions before it (`action`, `observation`, `source`).
 */
export const openHands: Format = {
  name: 'OpenHands',
  lines(first) {
    if (!first.some(isEvent)) return undefined
    return { about: about(first), reader: () => ({ step: stepsOf }) }
  },
  value(value) {
    const events = (Array.isArray(value) ? value : listAt(value, 'history')).flatMap(
      (one): JsonObject[] => (isObject(one) ? [one as JsonObject] : []), // it was parsed from JSON
    )
    if (!events.some(isEvent)) return undefined
    return [{ ...about(events), steps: events.flatMap(stepsOf) }]
  },
}

const isEvent = (event: JsonObject): boolean =>
  textAt(event, 'source') !== undefined &&
  (/^(?:Action|Observation|Message|SystemPrompt|AgentError|ConversationStateUpdate)Event$/.test(
    textAt(event, 'kind') ?? '',
  ) ||
    ((textAt(event, 'action') ?? textAt(event, 'observation')) !== undefined &&
      typeof event['id'] === 'number'))

const about = (events: readonly JsonObject[]): About => {
  const system = events.find((event) => event['kind'] === 'SystemPromptEvent')
  const instructions = messageText(system?.['system_prompt'])
  return aboutOf('openhands', { instructions, started: timeIn(events[0]?.['timestamp']) })
}

function stepsOf(event: JsonObject): Step[] {
  const at = timeIn(event['timestamp'])
  const call_id = textAt(event, 'tool_call_id')
  switch (event['kind']) {
    case 'MessageEvent': {
      const message = objectAt(event, 'llm_message')
      const text = messageText(message['content'])
      if (textAt(event, 'source') === 'user') return personSteps(text, at)
      return [modelStep({ text, completion: thoughtIn(message), at })]
    }
    case 'ActionEvent': {
      const call = objectAt(event, 'tool_call')
      const args = 'arguments' in call ? argumentsIn(call['arguments']) : objectAt(event, 'action')
      return [
        modelStep({
          text: messageText(event['thought'] ?? ''),
          calls: [callOf(textAt(event, 'tool_name') ?? textAt(call, 'name'), args, call_id)],
          answer: textAt(event, 'llm_response_id'),
          completion: thoughtIn(event),
          at,
        }),
      ]
    }
    case 'ObservationEvent': {
      const observed = objectAt(event, 'observation')
      const text = textOfBlocks(listAt(observed, 'content'))
      const is_error =
        observed['is_error'] === true ||
        observed['error'] === true ||
        isFailure(observed['exit_code'] ?? objectAt(observed, 'metadata')['exit_code'])
      const packed = text === undefined ? {} : { packed: JSON.stringify(observed) }
      return [
        resultStep(text ?? observed, { ...packed, is_error, call_id, at, tool: textAt(event, 'tool_name') }),
      ]
    }
    case 'AgentErrorEvent':
    case 'UserRejectObservation': {
      const why = textAt(event, 'error') ?? textAt(event, 'rejection_reason') ?? ''
      return [resultStep(why, { is_error: true, call_id, at, tool: textAt(event, 'tool_name') })]
    }
    case 'CondensationSummaryEvent':
      return [modelStep({ finish: 'compacted', completion: textAt(event, 'summary') ?? '', at })]
    default:
      return event['kind'] === undefined ? olderSteps(event, at) : []
  }
}

const isFailure = (exit: unknown): boolean => typeof exit === 'number' && exit > 0

function thoughtIn(from: JsonObject): string | undefined {
  const thought = textAt(from, 'reasoning_content')
  return thought ? JSON.stringify({ reasoning_content: thought }) : undefined
}

/** Of versions before the SDK: `{id, source, action, args}` and `{cause, observation, content}`. */
function olderSteps(event: JsonObject, at: string | undefined): Step[] {
  const [action, observation] = [textAt(event, 'action'), textAt(event, 'observation')]
  const args = objectAt(event, 'args')
  const text = textAt(args, 'content') ?? textAt(event, 'message') ?? ''
  if (action === 'message')
    return event['source'] === 'user' ? personSteps(text, at) : [modelStep({ text, at })]
  if (action !== undefined && event['source'] === 'agent' && action !== 'system') {
    const { thought = '', ...given } = args
    return [modelStep({ text: String(thought), calls: [callOf(action, given, String(event['id']))], at })]
  }
  if (observation === undefined || event['cause'] === undefined || event['cause'] === null) return []
  const extras = objectAt(event, 'extras')
  const is_error =
    observation === 'error' || isFailure(extras['exit_code'] ?? objectAt(extras, 'metadata')['exit_code'])
  return [resultStep(textAt(event, 'content') ?? '', { call_id: String(event['cause']), is_error, at })]
}
