import { defined, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { argumentsIn, listAt, messageText, objectAt, textAt, timeIn } from './fields.ts'
import type { Format, LineReader } from './format.ts'
import { textOfBlocks, unpacked } from './packed.ts'
import type { Step } from './trajectory.ts'

/**
 * OpenHands' events, a line each or as a list: actions and observations that name each other, of the agent SDK (`kind`) or
 * of versions before it (`action`, `observation`, `source`).
 */
export const openHands: Format = {
  name: 'OpenHands',
  lines(first) {
    if (!first.some(isEvent)) return undefined
    return { about: about(first), reader: () => ({ step: stepsOf }) satisfies LineReader }
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

const about = (events: readonly JsonObject[]) => ({
  goal: null,
  instructions:
    events.flatMap((event) =>
      event['kind'] === 'SystemPromptEvent' ? [messageText(event['system_prompt'])] : [],
    )[0] ?? '',
  harness: 'openhands',
  origin: { harness: 'openhands' },
  ...defined({ started: timeIn(events[0]?.['timestamp']) }),
})

function stepsOf(event: JsonObject): Step[] {
  const at = defined({ at: timeIn(event['timestamp']) })
  const call_id = textAt(event, 'tool_call_id')
  const id = defined({ call_id })
  switch (event['kind']) {
    case 'MessageEvent': {
      const message = objectAt(event, 'llm_message')
      const text = messageText(message['content'])
      if (textAt(event, 'source') === 'user') return text === '' ? [] : [{ kind: 'person', text, ...at }]
      return [{ kind: 'model', text, calls: [], ...thoughtOf(message), ...at }]
    }
    case 'ActionEvent': {
      const call = objectAt(event, 'tool_call')
      const args = 'arguments' in call ? argumentsIn(call['arguments']) : objectAt(event, 'action')
      const answer = textAt(event, 'llm_response_id')
      return [
        {
          kind: 'model',
          text: messageText(event['thought'] ?? ''),
          calls: [{ tool: textAt(event, 'tool_name') ?? textAt(call, 'name') ?? 'unknown', args, ...id }],
          ...defined({ answer }),
          ...thoughtOf(event),
          ...at,
        },
      ]
    }
    case 'ObservationEvent': {
      const observed = objectAt(event, 'observation')
      const text = textOfBlocks(listAt(observed, 'content'))
      const exit = observed['exit_code'] ?? objectAt(observed, 'metadata')['exit_code']
      const failed =
        observed['is_error'] === true || observed['error'] === true || (typeof exit === 'number' && exit > 0)
      return [
        {
          kind: 'result',
          ...(text === undefined ? unpacked(observed) : { output: text, packed: JSON.stringify(observed) }),
          is_error: failed,
          ...id,
          ...at,
        },
      ]
    }
    case 'AgentErrorEvent':
    case 'UserRejectObservation':
      return [
        {
          kind: 'result',
          output: textAt(event, 'error') ?? textAt(event, 'rejection_reason') ?? '',
          is_error: true,
          ...id,
          ...at,
        },
      ]
    case 'CondensationSummaryEvent':
      return [
        {
          kind: 'model',
          text: '',
          calls: [],
          finish: 'compacted',
          completion: textAt(event, 'summary') ?? '',
          ...at,
        },
      ]
    default:
      return event['kind'] === undefined ? olderSteps(event, at) : []
  }
}

const thoughtOf = (from: JsonObject) => {
  const thought = textAt(from, 'reasoning_content')
  return thought === undefined || thought === ''
    ? {}
    : { completion: JSON.stringify({ reasoning_content: thought }) }
}

/** Of versions before the SDK: `{id, source, action, args}` and `{cause, observation, content}`. */
function olderSteps(event: JsonObject, at: { at?: string }): Step[] {
  const [action, observation] = [textAt(event, 'action'), textAt(event, 'observation')]
  const args = objectAt(event, 'args')
  const content = textAt(args, 'content') ?? textAt(event, 'message') ?? ''
  if (action === 'message')
    return event['source'] === 'user'
      ? [{ kind: 'person', text: content, ...at }]
      : [{ kind: 'model', text: content, calls: [], ...at }]
  if (action !== undefined && event['source'] === 'agent' && action !== 'system') {
    const { thought = '', ...given } = args
    return [
      {
        kind: 'model',
        text: String(thought),
        calls: [{ tool: action, args: given as Json, call_id: String(event['id']) }],
        ...at,
      },
    ]
  }
  if (observation === undefined || event['cause'] === undefined || event['cause'] === null) return []
  const exit =
    objectAt(event, 'extras')['exit_code'] ?? objectAt(objectAt(event, 'extras'), 'metadata')['exit_code']
  return [
    {
      kind: 'result',
      call_id: String(event['cause']),
      output: textAt(event, 'content') ?? '',
      is_error: observation === 'error' || (typeof exit === 'number' && exit > 0),
      ...at,
    },
  ]
}
