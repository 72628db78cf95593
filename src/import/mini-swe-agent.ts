import { isObject, type Json } from '../core/event/json.ts'
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
import { aboutOf, type Format } from './format.ts'
import {
  callOf,
  modelStep,
  noteSteps,
  personSteps,
  resultStep,
  type Step,
  type StepCall,
} from './trajectory.ts'

/** One command in a block of the answer; what came of it is the next message, in the person's place. */
const BLOCK = /```(?:mswea_bash_command|bash|sh)\s*\n([\s\S]*?)\n?```/g
const OBSERVED = /^\s*(?:<returncode>|<exception>|<output>|Observation:)/

/** mini-swe-agent's trajectories, with tool calls or with commands in the text. Unnamed ones with calls are messages like any other. */
export const miniSweAgent: Format = {
  name: 'mini-swe-agent',
  value(value) {
    const messages = Array.isArray(value) ? value : listAt(value, 'messages')
    const isNamed = textAt(value, 'trajectory_format')?.startsWith('mini-swe-agent') === true
    const answers = messages.filter((message) => textAt(message, 'role') === 'assistant')
    const hasCalls = answers.some(
      (message) => listAt(message, 'tool_calls').length > 0 || 'function_call' in objectIn(message),
    )
    const hasCommands = answers.some((answer) => commandIn(answer) !== undefined) && messages.some(isObserved)
    const isOne = isNamed ? answers.length > 0 : hasCommands && !hasCalls
    if (!isOne) return undefined
    const [task] = messages.filter((message) => textAt(message, 'role') === 'user')
    const [system] = messages.filter((message) => textAt(message, 'role') === 'system')
    const info = objectAt(value, 'info')
    return [
      {
        ...aboutOf(
          'mini-swe-agent',
          { goal: contentOf(task), instructions: contentOf(system), started: timeOf(task) },
          { version: textAt(info, 'mini_version'), exit_status: textAt(info, 'exit_status') },
        ),
        steps: stepsOf(messages.slice(task === undefined ? 0 : messages.indexOf(task) + 1)),
      },
    ]
  },
}

const contentOf = (message: unknown): string => messageText(objectIn(message)['content'])
const isObserved = (message: unknown): boolean =>
  textAt(message, 'role') === 'user' && OBSERVED.test(contentOf(message))
const timeOf = (message: unknown) => timeIn(objectAt(objectIn(message), 'extra')['timestamp'])

function commandIn(message: unknown): string | undefined {
  const blocks = [...contentOf(message).matchAll(BLOCK)]
  return blocks.length === 1 ? blocks[0]?.[1] : undefined
}

function callIn(call: Json): StepCall {
  const called = objectAt(call, 'function')
  return callOf(textAt(called, 'name'), argumentsIn(called['arguments']), textAt(call, 'id'))
}

function stepsOf(messages: readonly Json[]): Step[] {
  let isWaiting = false
  return messages.flatMap((message): Step[] => {
    const at = timeOf(message)
    if (textAt(message, 'role') === 'assistant') {
      const made = listAt(message, 'tool_calls').map(callIn)
      const command = made.length > 0 ? undefined : commandIn(message)
      isWaiting = command !== undefined
      const response = objectAt(objectAt(message, 'extra'), 'response')
      const usage = objectAt(response, 'usage')
      return [
        modelStep({
          text: isWaiting ? contentOf(message).replace(BLOCK, '').trim() : contentOf(message),
          calls: command === undefined ? made : [callOf('bash', { command })],
          completion: isWaiting ? contentOf(message) : undefined,
          ...usageIn(countAt(usage, 'prompt_tokens'), countAt(usage, 'completion_tokens')),
          model: textAt(response, 'model'),
          at,
        }),
      ]
    }
    const isAnswer = isWaiting
    isWaiting = false
    if (!isObject(message) || textAt(message, 'role') === 'system') return []
    const output = contentOf(message)
    const call_id = textAt(message, 'tool_call_id')
    if (isAnswer || call_id !== undefined) return [resultStep(output, { call_id, at })]
    const isPerson = textAt(objectAt(message, 'extra'), 'interrupt_type')?.startsWith('User')
    // What else follows an answer without a command is what is said of that.
    return isPerson ? personSteps(output, at) : noteSteps(output, at)
  })
}
