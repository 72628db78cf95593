import type { Call, ToolDeclaration } from '../core/event/event.ts'
import { type Json, toJson } from '../core/event/json.ts'
import type { Prompt } from '../core/view/prompt.ts'
import { TwotrackError } from '../errors.ts'
import { readArguments, usageOf } from '../model/calls.ts'
import { type AnswerToRecord, Conversation, type ConversationOptions } from './conversation.ts'
import { assertNothingAdded, fieldsOf, modelNameOf, schemaIn, textIn, withMethods } from './fields.ts'
import type { Heard, HeardStep } from './heard.ts'

/** As much of a model of the OpenAI Agents SDK as is needed. */
export interface AgentsModel {
  getResponse(request: never): Promise<unknown>
  getStreamedResponse(request: never): AsyncIterable<unknown>
}

export interface AgentsMemoryOptions<Model extends AgentsModel, Tool extends object>
  extends ConversationOptions {
  readonly model: Model
  readonly tools?: readonly Tool[]
}

export interface AgentsMemory<Model extends AgentsModel, Tool extends object> {
  /** To be given to an `Agent` in place of those that were passed in. */
  readonly model: Model
  readonly tools: Tool[]
  /** Ends the log. Without it the log stays open, as that of a killed process does, and can be continued. */
  close(): Promise<void>
}

/**
 * Gives an agent of the OpenAI Agents SDK a memory: everything is recorded, and each call of the model is given the packet
 * in place of the items so far.
 */
export function withAgentsMemory<Model extends AgentsModel, Tool extends object = never>(
  options: AgentsMemoryOptions<Model, Tool>,
): AgentsMemory<Model, Tool> {
  const { model, tools = [], ...rest } = options
  if (typeof model !== 'object' || model === null || typeof model.getResponse !== 'function') {
    throw new TwotrackError(
      'bad_argument',
      `withMemory needs a Model of the OpenAI Agents SDK; received ${JSON.stringify(model)}. A model's name becomes ` +
        'one by its provider: await new OpenAIProvider().getModel(name).',
    )
  }
  const conversation = new Conversation(rest)
  return {
    model: recordedModel(model, conversation),
    tools: tools.map((tool) => recordedTool(tool, conversation)),
    close: () => conversation.close(),
  }
}

type Fields = Record<string, unknown>

const recordedModel = <Model extends AgentsModel>(model: Model, conversation: Conversation): Model =>
  withMethods(model, {
    getResponse: (given: unknown) => respond(model, conversation, fieldsOf(given)),
    getStreamedResponse: (given: unknown) => stream(model, conversation, fieldsOf(given)),
  })

const respond = (model: AgentsModel, conversation: Conversation, request: Fields): Promise<unknown> =>
  conversation.answer(
    heardIn(modelNameOf(model), request),
    ({ prompt }) => model.getResponse(withPrompt(request, prompt)),
    (response) => answeredIn(fieldsOf(response)),
  )

/** Calls run once the last part has come, so the answer is recorded before that. */
async function* stream(
  model: AgentsModel,
  conversation: Conversation,
  request: Fields,
): AsyncGenerator<unknown> {
  const asked = await conversation.ask(heardIn(modelNameOf(model), request))
  try {
    for await (const part of model.getStreamedResponse(withPrompt(request, asked.prompt))) {
      const { type, response } = fieldsOf(part)
      if (type === 'response_done') await asked.answered(answeredIn(fieldsOf(response)))
      yield part
    }
  } catch (thrown) {
    await asked.failed(thrown)
    throw thrown
  }
}

/** The packet in place of the items, and nothing that a server remembers of them. */
const withPrompt = (request: Fields, { instructions, body }: Prompt): never => {
  const { previousResponseId: _, conversationId: __, ...rest } = request
  return {
    ...rest,
    ...(instructions === '' ? {} : { systemInstructions: instructions }),
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: body }] }],
  } as never // the SDK's own request, but for what the model is told
}

const itemsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

function answeredIn(response: Fields): AnswerToRecord {
  const output = itemsOf(response['output'])
  const { inputTokens, outputTokens } = fieldsOf(response['usage'])
  const calls = output.flatMap(({ type, callId, name, arguments: given }): Call[] =>
    type === 'function_call'
      ? [{ call_id: textIn(callId), tool: textIn(name), args: readArguments(given) }]
      : [],
  )
  const said = output.filter(({ role }) => role === 'assistant').map(({ content }) => textOf(content))
  return {
    ...{ text: said.join('\n\n'), calls, completion: JSON.stringify(toJson(output)) },
    ...usageOf(inputTokens, outputTokens),
  }
}

/** The words in a message, whole or in parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return itemsOf(content)
    .map(({ text, refusal }) => textIn(text) || textIn(refusal))
    .join('')
}

/** What the SDK is about to send, as a log needs it. */
function heardIn(model: string, request: Fields): Heard {
  const { input, systemInstructions, tools, handoffs, prompt, modelSettings } = request
  assertNothingAdded({ prompt })
  assertNothingAdded(fieldsOf(modelSettings)['providerData'])
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : itemsOf(input)
  const args = new Map<string, Json>()
  return {
    model,
    instructions: textIn(systemInstructions),
    tools: [...itemsOf(tools), ...itemsOf(handoffs)].map(declarationIn),
    steps: items.map((item) => stepIn(item, args)),
  }
}

function stepIn(item: Fields, args: Map<string, Json>): HeardStep {
  const { type, role, content, callId: id, name, arguments: given, output } = item
  if (role === 'user') {
    const other = itemsOf(content).find((part) => part['type'] !== 'input_text')
    return { kind: 'person', text: textOf(content), other: other && JSON.stringify(other['type']) }
  }
  const [callId, tool] = [textIn(id), textIn(name)]
  if (type === 'function_call_result')
    return { kind: 'result', callId, tool, args: args.get(callId) ?? {}, returned: outputOf(output) }
  if (type !== 'function_call')
    return { kind: 'model', text: role === 'assistant' ? textOf(content) : '', calls: [] }
  args.set(callId, readArguments(given))
  return { kind: 'model', text: '', calls: [{ call_id: callId, tool, args: readArguments(given) }] }
}

/** In place of what a tool threw the SDK gives the model this sentence, unless the tool has words of its own. */
const THROWN = 'An error occurred while running the tool.'

function outputOf(output: unknown): unknown {
  const { type, text } = fieldsOf(output)
  const given = type === 'text' ? text : output
  return typeof given === 'string' && given.startsWith(THROWN) ? new Error(given) : given
}

function declarationIn(tool: Fields): ToolDeclaration {
  const { name, toolName, description, toolDescription, parameters, inputJsonSchema, type } = tool
  return {
    name: textIn(name ?? toolName ?? type),
    description: textIn(description ?? toolDescription),
    parameters: schemaIn(parameters ?? inputJsonSchema),
  }
}

/** A tool that is recorded before it runs, with what it returns untouched. One that runs elsewhere stays as it is. */
function recordedTool<Tool extends object>(tool: Tool, conversation: Conversation): Tool {
  const { name, invoke } = fieldsOf(tool)
  if (typeof invoke !== 'function') return tool
  const run = (context: unknown, input: unknown, details: unknown): Promise<unknown> => {
    const callId = textIn(fieldsOf(fieldsOf(details)['toolCall'])['callId'])
    const call = { tool: textIn(name), args: readArguments(input), callId }
    const runs = (args: Json): unknown => invoke.call(tool, context, JSON.stringify(args), details)
    return conversation.run(call, runs, outputOf)
  }
  return { ...tool, invoke: run }
}
