import type { ToolDeclaration } from '../core/event/event.ts'
import type { Json } from '../core/event/json.ts'
import type { Prompt } from '../core/view/prompt.ts'
import { TwotrackError } from '../errors.ts'
import { type AiModel, readParts } from '../model/ai-sdk.ts'
import { readArguments } from '../model/calls.ts'
import {
  type AnswerToRecord,
  type Asked,
  type Begun,
  Conversation,
  type ConversationOptions,
} from './conversation.ts'
import { asError, assertNothingAdded, fieldsOf, schemaIn, textIn, withMethods } from './fields.ts'
import type { Heard, HeardStep } from './heard.ts'

export interface AiMemoryOptions<Model extends AiModel, Tools extends object> extends ConversationOptions {
  readonly model: Model
  readonly tools?: Tools
}

export interface AiMemory<Model extends AiModel, Tools extends object> {
  /** To be given to `generateText`, `streamText` or an agent in place of those that were passed in. */
  readonly model: Model
  readonly tools: Tools
  /** Ends the log. Without it the log stays open, as that of a killed process does, and can be continued. */
  close(): Promise<void>
}

/**
 * Gives a model of the AI SDK a memory: everything is recorded, and each call of the model is given the packet in place
 * of the messages so far.
 */
export function withMemory<Model extends AiModel, Tools extends object = Record<string, never>>(
  options: AiMemoryOptions<Model, Tools>,
): AiMemory<Model, Tools> {
  const { model, tools, ...rest } = options
  if (typeof model !== 'object' || model === null || typeof model.doGenerate !== 'function') {
    throw new TwotrackError(
      'bad_argument',
      `withMemory needs a language model of the AI SDK, such as openai('…'); received ${JSON.stringify(model)}. ` +
        "Make one of a model's name with its provider, or gateway('…').",
    )
  }
  const conversation = new Conversation(rest)
  return {
    model: recordedModel(model, conversation),
    tools: recordedTools(tools, conversation),
    close: () => conversation.close(),
  }
}

const recordedModel = <Model extends AiModel>(model: Model, conversation: Conversation): Model =>
  withMethods(model, {
    doGenerate: (options: unknown) => generate(model, conversation, fieldsOf(options)),
    doStream: (options: unknown) => stream(model, conversation, fieldsOf(options)),
  })

const generate = (model: AiModel, conversation: Conversation, given: Fields): Promise<unknown> =>
  conversation.answer(
    heardIn(model.modelId, given),
    ({ prompt }) => model.doGenerate(withPrompt(given, prompt)),
    (answer) => answeredIn(listOf(fieldsOf(answer)['content']), fieldsOf(answer)),
  )

const stream = (model: AiModel, conversation: Conversation, given: Fields): Promise<unknown> =>
  conversation.answer(heardIn(model.modelId, given), async (asked) => {
    const answer = fieldsOf(await model.doStream(withPrompt(given, asked.prompt)))
    const parts = answer['stream']
    if (!(parts instanceof ReadableStream))
      throw new TypeError(`${model.provider} gave no stream of its answer.`)
    return { ...answer, stream: parts.pipeThrough(recordedParts(asked)) }
  })

/**
 * The parts of an answer as they come. Calls and the end are held back until the answer is recorded: a framework runs
 * a call as soon as it sees it.
 */
function recordedParts(asked: Asked): TransformStream<unknown, unknown> {
  const content: Part[] = []
  const held: unknown[] = []
  let finish: Part = { type: 'finish' }
  let fault: unknown
  return new TransformStream<unknown, unknown>({
    transform(chunk, out) {
      const part = partOf(chunk)
      if (part.type === 'finish') finish = part
      if (part.type === 'error') fault = part['error']
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const type = part.type.slice(0, -'-delta'.length)
        content.push({ type, text: part['delta'] ?? part['text'] })
      } else if (WHOLE.has(part.type)) content.push(part)
      if (held.length > 0 || part.type === 'tool-call' || part.type === 'finish') held.push(chunk)
      else out.enqueue(chunk)
    },
    async flush(out) {
      if (fault !== undefined && content.length === 0) await asked.failed(fault)
      else await asked.answered(answeredIn(content, finish))
      for (const chunk of held) out.enqueue(chunk)
    },
    cancel: () => asked.answered(answeredIn(content, { finishReason: 'aborted' })),
  })
}

const WHOLE: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'file', 'source'])

type Fields = Readonly<Record<string, unknown>>
type Part = { readonly type: string } & Readonly<Record<string, unknown>>

const listOf = (value: unknown): Part[] => (Array.isArray(value) ? value.map(partOf) : [])
const partOf = (value: unknown): Part => {
  const fields = fieldsOf(value)
  return { ...fields, type: typeof fields['type'] === 'string' ? fields['type'] : '' }
}

/** The packet in place of the conversation; everything else as the framework has it. */
const withPrompt = (given: Fields, { instructions, body }: Prompt): never =>
  ({
    ...given,
    prompt: [
      ...(instructions === '' ? [] : [{ role: 'system', content: instructions }]),
      { role: 'user', content: [{ type: 'text', text: body }] },
    ],
  }) as never // the model's own kind of options, but for the prompt

function answeredIn(content: readonly Part[], end: Fields): AnswerToRecord {
  const { calls, ...rest } = readParts(content, end)
  return { ...rest, calls: calls.map(({ id: call_id, tool, args }) => ({ call_id, tool, args })) }
}

/** What the AI SDK is about to send, as a log needs it. */
function heardIn(model: string, given: Fields): Heard {
  for (const options of Object.values(fieldsOf(given['providerOptions']))) assertNothingAdded(options)
  const messages = Array.isArray(given['prompt']) ? given['prompt'].map(fieldsOf) : []
  const instructions = messages.filter(({ role }) => role === 'system').map(({ content }) => textIn(content))
  const args = new Map<string, Json>()
  const steps = messages.flatMap(({ role, content }): HeardStep[] => {
    if (role === 'system') return []
    return role === 'user' ? [saidIn(listOf(content))] : listOf(content).map((part) => stepIn(part, args))
  })
  return {
    model,
    instructions: instructions.join('\n\n'),
    tools: (Array.isArray(given['tools']) ? given['tools'] : []).map(declarationIn),
    steps,
  }
}

function saidIn(parts: readonly Part[]): HeardStep {
  const other = parts.find(({ type }) => type !== 'text')
  const words = parts.filter(({ type }) => type === 'text').map(({ text }) => textIn(text))
  return {
    kind: 'person',
    text: words.join('\n\n'),
    other: other && `${JSON.stringify(other.type)} (${textIn(other['mediaType']) || 'no media type'})`,
  }
}

function stepIn(part: Part, args: Map<string, Json>): HeardStep {
  const callId = textIn(part['toolCallId'])
  const tool = textIn(part['toolName'])
  if (part.type === 'tool-result') {
    const returned = outputOf(fieldsOf(part['output']))
    return { kind: 'result', callId, tool, args: args.get(callId) ?? {}, returned }
  }
  if (part.type !== 'tool-call')
    return { kind: 'model', text: part.type === 'text' ? textIn(part['text']) : '', calls: [] }
  const given = readArguments(part['input'])
  args.set(callId, given)
  return { kind: 'model', text: '', calls: [{ call_id: callId, tool, args: given }] }
}

/** A result as a tool gave it; an error is one again. */
function outputOf({ type, value, reason }: Fields): unknown {
  if (type === 'error-text' || type === 'error-json')
    return new Error(typeof value === 'string' ? value : JSON.stringify(value))
  if (type === 'execution-denied') return new Error(textIn(reason) || 'a person denied the call')
  return type === 'content' ? { content: value } : value
}

function declarationIn(value: unknown): ToolDeclaration {
  const { name, description, inputSchema, args, id } = fieldsOf(value)
  return {
    name: textIn(name),
    description: textIn(description ?? id),
    parameters: schemaIn(inputSchema ?? args),
  }
}

/** Tools that are recorded before they run, with what they return untouched. Those that run elsewhere stay as they are. */
function recordedTools<Tools extends object>(tools: Tools | undefined, conversation: Conversation): Tools {
  const entries = Object.entries(tools ?? {}).map(([name, tool]: [string, unknown]) => {
    const { execute } = fieldsOf(tool)
    if (typeof execute !== 'function') return [name, tool]
    const callOf = (input: unknown, context: unknown) => {
      return { tool: name, args: readArguments(input), callId: textIn(fieldsOf(context)['toolCallId']) }
    }
    const recorded = isGenerator(execute)
      ? async function* (input: unknown, context: unknown) {
          const begun = await conversation.begin(callOf(input, context))
          yield* inParts(execute.call(tool, begun.args, context), begun)
        }
      : (input: unknown, context: unknown) =>
          conversation.run(callOf(input, context), async (args) => lastOf(execute.call(tool, args, context)))
    return [name, { ...fieldsOf(tool), execute: recorded }]
  })
  return Object.fromEntries(entries) as Tools // the same tools by the same names
}

/** Of a tool that tells how far it is the last thing that it gives is the result. */
async function* inParts(parts: AsyncIterable<unknown>, { end }: Begun): AsyncGenerator<unknown> {
  let last: unknown
  try {
    for await (const part of parts) {
      last = part
      yield part
    }
  } catch (thrown) {
    await end(asError(thrown))
    throw thrown
  }
  await end(last)
}

/** Parts of a function that is no generator itself: it is only known after the call was recorded, too late to tell them as they come. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned))
    return returned
  let last: unknown
  for await (const part of returned as AsyncIterable<unknown>) last = part // what has the symbol is one
  return last
}

const isGenerator = (execute: unknown): boolean =>
  Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
