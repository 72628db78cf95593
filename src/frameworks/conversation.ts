import { canonical, type Json } from '../core/event/json.ts'
import type { CallToRecord, ResponseToRecord } from '../core/memory/to-record.ts'
import type { Store } from '../core/store/store.ts'
import type { Prompt } from '../core/view/prompt.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { PACKET_TOKENS_DEFAULT } from '../limits.ts'
import { Memory, type MemoryOptions } from '../memory.ts'
import { jsonlStore } from '../store/jsonl/jsonl.ts'
import { asError } from './fields.ts'
import { earlierWordsOf, type Heard, type HeardResult, partedAtLast, recordEarlier } from './heard.ts'

/** What a long first message may take of the packet: it is then shown by its parts. */
const GOAL_PERCENT = 40

export interface ConversationOptions
  extends Omit<MemoryOptions, 'store' | 'goal' | 'goalTokensMax' | 'instructions' | 'tools' | 'grouped'> {
  /** Logs as files in `folder` unless another is given. */
  readonly store?: Store
  /** `.agentfs` unless given. */
  readonly folder?: string
  /** The first message of a person unless given. */
  readonly goal?: string
}

/** What was answered, but for what the conversation knows. */
export type AnswerToRecord = Omit<ResponseToRecord, 'model' | 'latencyMs'>

/** A question to the model that is recorded, and waits for its answer. */
export interface Asked {
  readonly prompt: Prompt
  /** Records what the model answered; before any of its calls runs. */
  answered(response: AnswerToRecord): Promise<void>
  /** Records that the model gave no answer. */
  failed(thrown: unknown): Promise<void>
}

/** A call that runs now. */
export interface Begun {
  /** With the secrets that placeholders in them stand for. */
  readonly args: Json
  end(returned: unknown): Promise<void>
}

/**
 * A conversation that a framework keeps, recorded as a log. The model gets the packet in place of it. What can't be
 * recorded stops the conversation before the model is asked again.
 */
export class Conversation {
  readonly #options: ConversationOptions
  #opening: Promise<Memory> | undefined
  #isClosed = false
  #failure: unknown
  /** Calls that have a result in the log. */
  readonly #known = new Set<string>()
  /** What was said and is not answered: a framework that asks again after a fault says it again. */
  #unanswered: string | undefined
  #last: { readonly text: string; readonly calls: number } | undefined

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  /** Records what is new, and gives the prompt to send. */
  async ask(heard: Heard): Promise<Asked> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#isClosed) throw closed()
    const { said } = partedAtLast(heard.steps)
    this.#opening ??= this.#open(heard).catch((thrown) => {
      this.#opening = undefined
      throw thrown
    })
    const memory = await this.#opening
    const { model } = heard
    assertSameFrame(memory, heard)
    for (const step of heard.steps) if (step.kind === 'result') await this.#recordPast(memory, step)
    if (said !== '' && said !== this.#unanswered) await memory.say(said)
    this.#unanswered = said
    await memory.startTurn()
    const prompt = await memory.prompt()
    await memory.recordRequest(prompt, model)
    const begun = performance.now()
    return {
      prompt,
      answered: async (response) => {
        const latencyMs = Math.round(performance.now() - begun)
        this.#unanswered = undefined
        this.#last = { text: response.text ?? '', calls: response.calls?.length ?? 0 }
        await (await this.#opened()).recordResponse({ ...response, model, latencyMs })
      },
      failed: async (thrown) => {
        const data = { where: 'model', message: messageOf(thrown) }
        await (await this.#opened()).record({ type: 'agent_error', data })
      },
    }
  }

  /** Asks the model, and records what `read` makes of its answer before the framework sees it. */
  async answer<Answer>(
    heard: Heard,
    send: (asked: Asked) => PromiseLike<Answer> | Answer,
    read: (answer: Answer) => AnswerToRecord | undefined = () => undefined,
  ): Promise<Answer> {
    const asked = await this.ask(heard)
    let answer: Answer
    try {
      answer = await send(asked)
    } catch (thrown) {
      await asked.failed(thrown)
      throw thrown
    }
    const response = read(answer)
    if (response) await asked.answered(response)
    return answer
  }

  /** Runs a call between its two events. `isPause` tells what is thrown by a call that runs again later. */
  async run<Returned>(
    call: CallToRecord,
    run: (args: Json) => Returned | Promise<Returned>,
    outputOf: (returned: Returned) => unknown = (returned) => returned,
    isPause: (thrown: unknown) => boolean = () => false,
  ): Promise<Returned> {
    const { args, end } = await this.begin(call)
    let returned: Returned
    try {
      returned = await run(args)
    } catch (thrown) {
      if (!isPause(thrown)) await end(asError(thrown))
      throw thrown
    }
    await end(outputOf(returned))
    return returned
  }

  /** Records a call before it runs. What it threw is given to `end` as an Error. */
  async begin(call: CallToRecord): Promise<Begun> {
    try {
      const memory = await this.#opened()
      if (call.callId !== undefined) this.#known.add(call.callId)
      const recorded = await memory.recordCall(call)
      const begun = performance.now()
      const end = async (returned: unknown) => {
        const durationMs = Math.round(performance.now() - begun)
        await this.#orStop(memory.recordResult({ call: recorded, returned, args: call.args, durationMs }))
      }
      return { args: memory.border.reveal(call.args).value, end }
    } catch (thrown) {
      return this.#orStop(Promise.reject(thrown))
    }
  }

  /** Frameworks take what a tool throws for a result and go on: what the log throws must end it all. */
  async #orStop<Value>(recording: Promise<Value>): Promise<Value> {
    try {
      return await recording
    } catch (thrown) {
      this.#failure ??= thrown
      throw thrown
    }
  }

  /** Records that the conversation is over, and lets go of the log. */
  async close(): Promise<void> {
    this.#isClosed = true
    const memory = await this.#opening
    if (memory === undefined) return
    this.#opening = undefined
    const isAnswered = this.#last?.calls === 0
    const summary = isAnswered ? (this.#last?.text ?? '') : 'closed before the model had answered'
    try {
      if (this.#failure === undefined)
        await memory.record({
          type: 'run_end',
          data: { reason: isAnswered ? 'submitted' : 'cancelled', summary },
        })
    } finally {
      await memory.close()
    }
  }

  /** A call that ran elsewhere, with what came of it. */
  async #recordPast(memory: Memory, { callId, tool, args, returned }: HeardResult): Promise<void> {
    if (this.#known.has(callId)) return
    this.#known.add(callId)
    const call = await memory.recordCall({ tool, args, callId })
    await memory.recordResult({ call, returned, args })
  }

  #opened(): Promise<Memory> {
    if (this.#opening) return this.#opening
    throw closed()
  }

  async #open({ instructions, tools, steps }: Heard): Promise<Memory> {
    const { earlier, said } = partedAtLast(steps)
    const first = earlier.find((step) => step.kind === 'person')
    const begin = first ? earlierWordsOf(first) : said
    const {
      store: given,
      folder = '.agentfs',
      packetSizeLimit = PACKET_TOKENS_DEFAULT,
      ...rest
    } = this.#options
    const store = given ?? jsonlStore({ folder })
    const memory = await Memory.open({
      operation: 'chat',
      goal: begin === '' ? null : begin,
      ...rest,
      ...{ store, instructions, tools, packetSizeLimit },
      goalTokensMax: Math.floor((packetSizeLimit * GOAL_PERCENT) / 100),
    })
    try {
      if (!memory.began) {
        if (await this.#isPending(store, memory, said)) this.#unanswered = said
        return memory
      }
      const goal = rest.goal === undefined ? first : undefined
      const recordResult = (result: HeardResult) => this.#recordPast(memory, result)
      await recordEarlier(memory, earlier, (step) => step === goal, recordResult)
      if (rest.goal === undefined && first === undefined) this.#unanswered = said
      return memory
    } catch (thrown) {
      await memory.close()
      throw thrown
    }
  }

  /** Reads which calls have a result; and whether what is said stands in the log as the last question, without an answer. */
  async #isPending(store: Store, memory: Memory, said: string): Promise<boolean> {
    let isAnswered = false
    for await (const event of store.read(memory.agent_id, { raw: false })) {
      if (event.type === 'tool_result') this.#known.add(event.data.call_id)
      if (event.type === 'person_message') isAnswered = false
      if (event.type === 'model_response') isAnswered = event.data.calls?.length === 0
    }
    const { goal, person } = memory.state
    return !isAnswered && (person.at(-1)?.value ?? goal.value) === memory.border.hide(said)
  }
}

const closed = () =>
  new TwotrackError(
    'closed',
    'Nothing is recorded before the model is asked, or after close(). To go on with the log, make its memory anew.',
  )

/** A log names its instructions and tools once, and what the model is sent follows from it. Some of the tools may rest. */
function assertSameFrame(memory: Memory, { instructions, tools }: Heard): void {
  const { state } = memory
  const known = new Set(state.tools.map((tool) => canonical(tool)))
  const other = tools.find((tool) => !known.has(canonical(tool)))
  if (memory.border.hide(instructions) === state.instructions && other === undefined) return
  const what = other === undefined ? 'other instructions' : `a tool "${other.name}" that was not declared`
  throw new TwotrackError(
    'conflict',
    `The model is to be given ${what} when the log of agent "${memory.agent_id}" began. Keep what it began with, or ` +
      'give this conversation an agentId of its own.',
  )
}
