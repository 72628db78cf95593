import { defined, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import {
  argumentsIn,
  countAt,
  listAt,
  messageText,
  objectAt,
  objectIn,
  textAt,
  timeIn,
  usageIn,
} from './fields.ts'
import { aboutOf, type Format, type Session } from './format.ts'
import { callOf, modelStep, noteSteps, personSteps, resultStep, type Step } from './trajectory.ts'

/** The Agent Trajectory Interchange Format, 1.x: one object with steps of user, agent and system. */
export const atif: Format = {
  name: 'ATIF',
  value(value) {
    const isOne =
      /^ATIF-v1\.\d+$/.test(textAt(value, 'schema_version') ?? '') &&
      isObject(value) &&
      Array.isArray(value['steps'])
    return isOne ? sessionsOf(value as JsonObject) : undefined // it was parsed from JSON
  },
}

/** A trajectory and those of its helpers, which 1.7 embeds. */
function sessionsOf(value: JsonObject, parent?: Pick<Session, 'session'>): Session[] {
  const agent = objectAt(value, 'agent')
  const own = textAt(value, 'session_id')
  const session = parent ? parent.session : own
  const helper = parent && (textAt(value, 'trajectory_id') ?? own ?? 'helper')
  const steps = listAt(value, 'steps')
  const spoken = steps.findIndex((step) => textAt(step, 'source') !== 'system')
  const about = aboutOf(
    'atif',
    {
      ...{ session, helper },
      instructions: steps.slice(0, spoken).map(messageOfStep).join('\n'),
      started: steps.map((step) => timeIn(textAt(step, 'timestamp'))).find(Boolean),
    },
    {
      ...{ session: own, harness: textAt(agent, 'name') ?? 'atif' },
      ...{ version: textAt(agent, 'version'), notes: textAt(value, 'notes') },
    },
  )
  const model = textAt(agent, 'model_name')
  const main = {
    ...about,
    steps: steps.slice(Math.max(0, spoken)).flatMap((step, at) => stepsOf(step, at, model)),
  }
  const helpers = listAt(value, 'subagent_trajectories').flatMap((one) =>
    isObject(one) ? sessionsOf(one, defined({ session })) : [],
  )
  return [main, ...helpers]
}

const messageOfStep = (step: Json): string => messageText(objectIn(step)['message'])

function stepsOf(step: Json, index: number, given: string | undefined): Step[] {
  const at = timeIn(textAt(step, 'timestamp'))
  const text = messageOfStep(step)
  const source = textAt(step, 'source')
  const results = listAt(objectAt(step, 'observation'), 'results')
  if (source === 'user') return personSteps(text, at)
  if (source !== 'agent') {
    const told = [text, ...results.map((one) => messageText(objectIn(one)['content'] ?? ''))]
    return noteSteps(told.filter(Boolean).join('\n'), at)
  }
  const made = listAt(step, 'tool_calls').map((call) =>
    callOf(
      textAt(call, 'function_name'),
      argumentsIn(objectIn(call)['arguments']),
      textAt(call, 'tool_call_id'),
    ),
  )
  // An agent without tool calls acts by what it says.
  const isAction = made.length === 0 && results.length > 0
  const calls = isAction ? [callOf('action', { message: text }, `action-${index}`)] : made
  const metrics = objectAt(step, 'metrics')
  const thought = textAt(step, 'reasoning_content')
  return [
    modelStep({
      answer: String(countAt(step, 'step_id') ?? index),
      text: isAction ? '' : text,
      calls,
      model: textAt(step, 'model_name') ?? given,
      ...usageIn(countAt(metrics, 'prompt_tokens'), countAt(metrics, 'completion_tokens')),
      completion: thought && JSON.stringify({ reasoning_content: thought, message: text }),
      at,
    }),
    ...results.map((one, place) => {
      const call_id = textAt(one, 'source_call_id') ?? calls[Math.min(place, calls.length - 1)]?.call_id
      return resultStep(objectIn(one)['content'] ?? null, { call_id, at })
    }),
  ]
}
