import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { type AIMessage, createMiddleware, HumanMessage, SystemMessage, ToolMessage } from 'langchain'
import type { Call, ToolDeclaration } from '../core/event/event.ts'
import { toJson } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { readArguments, usageOf } from '../model/calls.ts'
import { type AnswerToRecord, Conversation, type ConversationOptions } from './conversation.ts'
import { asError, fieldsOf, modelNameOf, schemaIn, textIn } from './fields.ts'
import type { Heard, HeardStep } from './heard.ts'

export interface MemoryMiddlewareOptions extends Omit<ConversationOptions, 'agentId'> {
  /** For agents that are called without a `thread_id`. */
  readonly agentId?: string
}

/**
 * A middleware that records what an agent of LangChain does, and gives its model the packet in place of the messages so
 * far. The log is named by the `thread_id`, and ends with each call of the agent; the next goes on with it.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions = {}) {
  const open = new Map<string, Conversation>()
  const agentIn = (runtime: unknown): string => {
    const thread = fieldsOf(fieldsOf(runtime)['configurable'])['thread_id']
    if (typeof thread === 'string' && thread !== '') return thread
    if (options.agentId !== undefined) return options.agentId
    throw new TwotrackError(
      'missing',
      "The agent was called without a thread_id, which names its log: invoke(…, { configurable: { thread_id: '…' } }), or " +
        'memoryMiddleware({ agentId }).',
    )
  }
  const conversationIn = (runtime: unknown): Conversation => {
    const agentId = agentIn(runtime)
    const conversation = open.get(agentId) ?? new Conversation({ ...options, agentId })
    open.set(agentId, conversation)
    return conversation
  }
  return createMiddleware({
    name: 'TwotrackMemory',
    wrapModelCall(request, handler) {
      const model = modelNameOf(request.model)
      return conversationIn(request.runtime).answer(
        heardIn(model, request),
        ({ prompt: { instructions, body } }) =>
          handler({
            ...request,
            messages: [new HumanMessage(body)],
            systemMessage: new SystemMessage(instructions),
          }),
        (answer) => ('content' in answer ? answeredIn(answer) : undefined),
      )
    },
    wrapToolCall({ toolCall, ...request }, handler) {
      const { id = '', name, args: input } = toolCall
      const run = async (args: unknown) => {
        try {
          return await handler({ ...request, toolCall: { ...toolCall, args: fieldsOf(args) } })
        } catch (thrown) {
          if (isInterrupt(thrown)) throw thrown
          const { message: content } = asError(thrown)
          return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
        }
      }
      const output = (message: unknown) =>
        ToolMessage.isInstance(message) ? outputOf(message) : toJson(message)
      const call = { tool: name, args: readArguments(input), callId: id }
      return conversationIn(request.runtime).run(call, run, output, isInterrupt)
    },
    async afterAgent(_, runtime) {
      const agentId = agentIn(runtime)
      await open.get(agentId)?.close()
      open.delete(agentId)
    },
  })
}

/** How a graph stops to ask a person: the call has no result yet. */
const isInterrupt = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  /^(?:GraphInterrupt|NodeInterrupt|GraphBubbleUp|ParentCommand)$/.test(thrown.name)

function answeredIn(answer: AIMessage): AnswerToRecord {
  const { tool_calls = [], invalid_tool_calls = [] } = answer
  const usage = fieldsOf(fieldsOf(answer)['usage_metadata'])
  const calls = [...tool_calls, ...invalid_tool_calls].map(({ id, name, args }) => ({
    call_id: id ?? '',
    tool: name ?? '',
    args: readArguments(args),
  }))
  return {
    ...{ text: answer.text, calls, completion: JSON.stringify(toJson(answer.toDict())) },
    ...usageOf(usage['input_tokens'], usage['output_tokens']),
  }
}

type Message = { readonly type: string; readonly content: unknown; readonly text: string }

/** What LangChain is about to send, as a log needs it. */
function heardIn(
  model: string,
  request: { messages: readonly Message[]; systemMessage: { text: string }; tools: readonly unknown[] },
): Heard {
  const { messages, systemMessage, tools } = request
  const called = new Map<string, Call>()
  return {
    model,
    instructions: systemMessage.text,
    tools: tools.map(declarationIn),
    steps: messages.map((message) => stepIn(message, called)),
  }
}

function stepIn(message: Message, called: Map<string, Call>): HeardStep {
  const { type, content, text } = message
  if (type === 'human') {
    const parts = Array.isArray(content) ? content.map(fieldsOf) : []
    const other = parts.find((part) => part['type'] !== 'text')
    return { kind: 'person', text, other: other && JSON.stringify(other['type']) }
  }
  const { tool_calls, tool_call_id } = fieldsOf(message)
  if (ToolMessage.isInstance(message)) {
    const callId = textIn(tool_call_id)
    const { tool = message.name ?? '', args = {} } = called.get(callId) ?? {}
    return { kind: 'result', callId, tool, args, returned: outputOf(message) }
  }
  const calls = (Array.isArray(tool_calls) ? tool_calls.map(fieldsOf) : []).map(({ id, name, args }) => {
    return { call_id: textIn(id), tool: textIn(name), args: readArguments(args) }
  })
  for (const call of calls) called.set(call.call_id, call)
  return { kind: 'model', text: type === 'ai' ? text : '', calls }
}

/** What a tool gave; an error is one again. */
function outputOf({ status, content, text }: ToolMessage): unknown {
  if (status === 'error') return new Error(text)
  return typeof content === 'string' ? content : toJson(content)
}

function declarationIn(tool: unknown): ToolDeclaration {
  const { schema, name, type } = fieldsOf(tool)
  // A tool of the model's server has no schema here.
  if (schema === undefined) return { name: textIn(name ?? type), description: '', parameters: schemaIn(tool) }
  const { function: declared } = convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]) // it has a schema
  return {
    name: declared.name,
    description: declared.description ?? '',
    parameters: schemaIn(declared.parameters),
  }
}
