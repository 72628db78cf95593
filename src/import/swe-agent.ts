import { defined, isObject, type Json } from '../core/event/json.ts'
import { argumentsIn, countAt, listAt, messageText, objectAt, objectIn, textAt } from './fields.ts'
import { aboutOf, type Format } from './format.ts'
import { callOf, modelStep, resultStep, type Step, type StepCall } from './trajectory.ts'

/**
 * SWE-agent's `.traj`: what was thought, done and observed, a step each; the task stands in the history. A demonstration may
 * have nothing but a history.
 */
export const sweAgent: Format = {
  name: 'SWE-agent',
  value(value) {
    const history = listAt(value, 'history')
    const steps = listAt(value, 'trajectory').length > 0 ? listAt(value, 'trajectory') : stepsIn(history)
    const isOne = steps.length > 0 && steps.every((step) => isObject(step) && 'action' in step)
    if (!isOne || !isObject(value)) return undefined
    const of = (role: string) => history.filter((message) => textAt(message, 'role') === role)
    // Demonstrations stand before the task.
    const [task] = of('user').filter((message) => !objectIn(message)['is_demo'])
    const info = objectAt(value, 'info')
    return [
      {
        ...aboutOf(
          'swe-agent',
          {
            goal: messageText(objectIn(task)['content']) || 'A task that the trajectory does not tell.',
            instructions: messageText(objectIn(of('system')[0])['content']),
          },
          { environment: textAt(value, 'environment'), exit_status: textAt(info, 'exit_status') },
        ),
        steps: steps.flatMap((step, at) => stepsOf(step, at, history)),
      },
    ]
  },
}

/** Each answer that did something, with the message after it. */
const stepsIn = (history: readonly Json[]): Json[] =>
  history.flatMap((message, at) => {
    const { role, action, thought, content, is_demo } = objectIn(message)
    if (role !== 'assistant' || action === undefined || is_demo === true) return []
    const next = objectIn(history[at + 1])
    const answer = next['role'] === 'assistant' ? {} : { observation: messageText(next['content']) }
    return [
      { action, ...defined({ thought, response: content }), ...(at + 1 < history.length ? answer : {}) },
    ]
  })

function stepsOf(step: Json, at: number, history: readonly Json[]): Step[] {
  const [action, thought] = [textAt(step, 'action') ?? '', textAt(step, 'thought')]
  const [response, observation] = [textAt(step, 'response'), textAt(step, 'observation')]
  const seconds = objectIn(step)['execution_time']
  const call = callIn(history, thought, action) ?? callOf('bash', { command: action.trimEnd() })
  const said = modelStep({
    turn: countAt(step, 'turn') ?? at + 1,
    text: thought ?? '',
    calls: action === '' ? [] : [call],
    completion: response === thought ? undefined : response,
  })
  if (action === '' || observation === undefined) return [said]
  const isTimed = typeof seconds === 'number' && seconds >= 0
  return [said, resultStep(observation, { duration_ms: isTimed ? Math.round(seconds * 1_000) : undefined })]
}

/** The call as the model made it, where the history has it: the action is what it came to in a shell. */
function callIn(history: readonly Json[], thought: string | undefined, action: string): StepCall | undefined {
  const message = history.find(
    (one) =>
      textAt(one, 'action') === action &&
      textAt(one, 'thought') === thought &&
      listAt(one, 'tool_calls').length === 1,
  )
  const [call] = listAt(message, 'tool_calls')
  const made = objectAt(call, 'function')
  const tool = textAt(made, 'name')
  return tool === undefined ? undefined : callOf(tool, argumentsIn(made['arguments']))
}
