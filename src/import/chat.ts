import { isObject, type Json } from '../core/event/json.ts'
import { argumentsIn } from './fields.ts'
import { aboutOf, type Format } from './format.ts'
import { textOfBlocks } from './packed.ts'
import { modelStep, personSteps, type ResultStep, type Step, type StepCall } from './trajectory.ts'

/**
 * A list of messages: OpenAI chat (`tool_calls`, role `tool`), OpenAI Agents and Responses items
 * (`function_call`, `function_call_output`), AI SDK messages (`tool-call`, `tool-result` parts) and AI SDK UI
 * messages (`parts`). All are read into one flat list of what was said, called and answered.
 */
export const messages: Format = {
  name: 'chat messages',
  value(value, file) {
    const list = listIn(value)
    const items = list?.flatMap(utterancesOf) ?? []
    if (items.length === 0) return undefined
    const steps = stepsOf(items)
    const first = steps.find((step) => step.kind === 'person')
    const goal = first?.text ?? `Imported from ${file}`
    const instructions = items.flatMap((item) => (item.kind === 'system' ? [item.text] : [])).join('\n')
    const about = { ...aboutOf('import', { goal, instructions }), origin: { file } }
    return [{ ...about, steps: steps.filter((step) => step !== first) }]
  },
}

function listIn(value: unknown): Fields[] | undefined {
  const list = Array.isArray(value)
    ? value
    : isObject(value)
      ? (value['messages'] ?? value['items'] ?? value['input'])
      : undefined
  return Array.isArray(list) && list.every(isObject) ? list : undefined
}

type Answer = Pick<ResultStep, 'kind' | 'output' | 'is_error'> & { call_id: string; tool: string }
type Message = { kind: 'system' | 'user' | 'assistant'; text: string }
type Utterance = Message | { kind: 'call'; call_id: string; tool: string; args: Json } | Answer

/** What an agent says and calls without an answer in between is one turn. */
function stepsOf(items: readonly Utterance[]): Step[] {
  const steps: Step[] = []
  let open: { text: string; calls: StepCall[] } | undefined
  const close = () => {
    if (open && (open.calls.length > 0 || open.text !== '')) steps.push(modelStep(open))
    open = undefined
  }
  for (const item of items) {
    if (item.kind === 'user') {
      close()
      steps.push(...personSteps(item.text))
    } else if (item.kind === 'assistant') {
      if (open && open.calls.length > 0) close()
      open = { text: [open?.text, item.text].filter(Boolean).join('\n'), calls: open?.calls ?? [] }
    } else if (item.kind === 'call') {
      open ??= { text: '', calls: [] }
      const { call_id, tool, args } = item
      open.calls.push({ call_id, tool, args })
    } else if (item.kind === 'result') {
      close()
      steps.push(item)
    }
  }
  close()
  return steps
}

type Fields = Record<string, unknown>

function utterancesOf(message: Fields): Utterance[] {
  const { role, type, content, tool_calls, function_call } = message
  if (type === 'function_call') return [callIn(message)]
  if (type === 'function_call_output' || type === 'function_call_result')
    return [answerIn(message, textIn(message['output']))]
  if (typeof role !== 'string') return []
  // A tool message whose content is a list of text parts is one answer.
  if (role === 'function' || (role === 'tool' && (message['tool_call_id'] ?? !Array.isArray(content))))
    return [answerIn(message, textIn(content))]
  const given = message['parts'] ?? content ?? []
  const parts = (Array.isArray(given) ? given : [given]).flatMap((part) => utterancesOfPart(part, role))
  // Before there could be several calls, a message had one `function_call`.
  const calls = Array.isArray(tool_calls) ? tool_calls : [function_call]
  return [
    ...parts,
    ...calls
      .filter(isObject)
      .map((call) => callIn(isObject(call['function']) ? { ...call, ...call['function'] } : call)),
  ]
}

function utterancesOfPart(part: unknown, role: string): Utterance[] {
  if (typeof part === 'string') return part === '' ? [] : [messageOf(role, part)]
  if (!isObject(part)) return []
  const { type, text, state } = part
  if (typeof text === 'string' && type !== 'reasoning') return [messageOf(role, text)]
  if (type === 'tool-call' || type === 'tool_use') return [callIn(part)]
  if (type === 'tool-result')
    return [answerIn(part, unwrapped(part['output'] ?? part['result']), failedOf(part))]
  if (type === 'tool_result')
    return [answerIn(part, textIn(part['content']), part['is_error'] === true ? true : null)]
  // AI SDK 4: one part for a call and its result.
  const invoked = part['toolInvocation']
  if (type === 'tool-invocation' && isObject(invoked))
    return invoked['state'] === 'result'
      ? [callIn(invoked), answerIn(invoked, invoked['result'])]
      : [callIn(invoked)]
  if (typeof type !== 'string' || !/^(?:dynamic-tool$|tool-)/.test(type)) return []
  const call = callIn({ toolName: type.slice('tool-'.length), ...part })
  if (state === 'output-available') return [call, answerIn(part, part['output'], false)]
  return state === 'output-error' ? [call, answerIn(part, part['errorText'], true)] : [call]
}

const messageOf = (role: string, text: string): Utterance => ({
  kind: role === 'system' || role === 'developer' ? 'system' : role === 'user' ? 'user' : 'assistant',
  text,
})

/** The formats have different names for the same fields, and no name for two of them. */
const fieldIn = (fields: Fields, names: readonly string[]): unknown =>
  names.map((name) => fields[name]).find((value) => value !== undefined && value !== null)

const IDS = ['call_id', 'callId', 'toolCallId', 'tool_call_id', 'tool_use_id']

function toolIn(fields: Fields): string {
  const name = fieldIn(fields, ['name', 'toolName'])
  return typeof name === 'string' ? name : 'unknown'
}

function callIn(fields: Fields): Utterance {
  const tool = toolIn(fields)
  const args = argumentsIn(fieldIn(fields, ['arguments', 'input', 'args']))
  return { kind: 'call', call_id: String(fieldIn(fields, [...IDS, 'id']) ?? tool), tool, args }
}

function answerIn(fields: Fields, output: unknown, is_error: boolean | null = null): Answer {
  const tool = toolIn(fields)
  const call_id = String(fieldIn(fields, IDS) ?? tool)
  return { kind: 'result', call_id, tool, output: (output ?? null) as Json, is_error }
}

/** Output given as one or more blocks of text is that text; anything else stays as it is. */
const textIn = (output: unknown): unknown => textOfBlocks(Array.isArray(output) ? output : [output]) ?? output

/** AI SDK 5 wraps outputs as `{type: 'text' | 'json' | 'error-text', value}`. */
const unwrapped = (output: unknown): unknown =>
  isObject(output) && typeof output['type'] === 'string' && 'value' in output ? output['value'] : output

const failedOf = ({ output, isError }: Fields): boolean | null => {
  if (isObject(output) && typeof output['type'] === 'string' && output['type'].startsWith('error'))
    return true
  return isError === true ? true : null
}
