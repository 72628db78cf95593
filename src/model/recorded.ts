import { type Call, callSchema, type EventFor } from '../core/event/event.ts'
import { canonical, defined, type JsonObject } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf } from '../errors.ts'
import { sha256 } from '../sha256.ts'
import { modelFault } from './faults.ts'
import { givenFor } from './formats.ts'
import type { Model, ModelAnswer, ModelRequest } from './model.ts'

interface Way {
  readonly format: string
  readonly parameters?: JsonObject
}

interface Answers {
  readonly ways: ReadonlyMap<string, Way>
  /** By the hash of the prompt that they were given to. */
  readonly byPrompt: ReadonlyMap<string, EventFor<'model_response'>>
}

/**
 * Answers from a log, each to the very same prompt. It fails closed: what the log has no answer for is a `no_answer_recorded` fault, and no
 * live model is ever asked. Of several answers to one prompt it gives the last, which the run went on with.
 */
export function recorded({ store, agentId }: { readonly store: Store; readonly agentId: string }): Model {
  let answers: Answers | undefined
  return {
    name: 'recorded',
    format: 'text',
    async answer(request, signal) {
      signal.throwIfAborted()
      const { turn } = request.prompt.packet
      try {
        answers ??= await readAnswers(store, agentId)
        const found = answerTo(answers, request)
        if (found) return await readAnswer(store, found)
      } catch (thrown) {
        throw none(turn, agentId, `cannot be read: ${messageOf(thrown)}`)
      }
      const why = 'holds no answer to this prompt; the packet or the instructions differ.'
      throw none(turn, agentId, why)
    },
  }
}

const none = (turn: number, agentId: string, why: string) =>
  modelFault(
    { kind: 'no_answer_recorded', retry: false },
    `Turn ${turn}: the log of ${agentId} ${why} No live model was asked.`,
  )

/** A request of now is one of the log if it gives the same text in any of the ways in which the log's were put. */
function answerTo({ ways, byPrompt }: Answers, request: ModelRequest) {
  for (const { format, parameters } of ways.values()) {
    const found = byPrompt.get(sha256(givenFor(format, request, parameters)))
    if (found) return found
  }
  return undefined
}

async function readAnswers(store: Store, agentId: string): Promise<Answers> {
  const byPrompt = new Map<string, EventFor<'model_response'>>()
  const ways = new Map<string, Way>()
  let asked: string | undefined
  for await (const event of store.read(agentId)) {
    if (event.type === 'model_request') {
      const { prompt_sha256, format, parameters } = event.data
      asked = prompt_sha256
      const way = { format, ...defined({ parameters }) }
      ways.set(canonical(way), way)
    }
    if (event.type === 'model_response' && asked !== undefined) byPrompt.set(asked, event)
  }
  return { ways, byPrompt }
}

async function readAnswer(store: Store, event: EventFor<'model_response'>): Promise<ModelAnswer> {
  const text = await fieldOf(store, event, 'text')
  const completion = await fieldOf(store, event, 'completion')
  const { usage, finish } = event.data
  return {
    text: typeof text === 'string' ? text : '',
    calls: checkedCalls(await fieldOf(store, event, 'calls')),
    ...defined({ usage, finish }),
    ...(typeof completion === 'string' || completion instanceof Uint8Array ? { completion } : {}),
  }
}

/** The log's schema holds for calls inside the event; a blob is checked here. */
const checkedCalls = (value: unknown): Call[] =>
  (Array.isArray(value) ? value : []).flatMap((call) => callSchema.safeParse(call).data ?? [])
