import { z } from 'zod'
import { eventAt, rawBytes } from '../app/events.ts'
import { toolDeclarationSchema } from '../core/event/event.ts'
import { defined, type Json } from '../core/event/json.ts'
import { json } from '../core/event/json-field.ts'
import { shownHere } from '../core/memory/shown-here.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { Memory, type MemoryOptions } from '../memory.ts'
import { excerptOf } from '../tool/recall.ts'
import { error as failed, ownWord } from '../tool/result.ts'

const text = z.string()
const count = z.int().nonnegative()
const callId = text.min(1)
const effect = z.enum(['pure', 'idempotent', 'effect'])

/** What a client may ask, and the fields of each request. */
const requests = {
  open: z.strictObject({
    agent: text.min(1),
    goal: text.nullable().optional(),
    instructions: text.optional(),
    tools: z.array(toolDeclarationSchema).optional(),
    packet_tokens: z.int().positive().optional(),
    run: text.min(1).optional(),
    operation: text.min(1).optional(),
    wait_ms: count.optional(),
  }),
  say: z.strictObject({ text: text.refine((said) => said.trim() !== '', 'There is nothing said.') }),
  prompt: z.strictObject({ model: text.default('unnamed') }),
  answer: z.strictObject({
    text: text.default(''),
    model: text.default('unnamed'),
    calls: z.array(z.strictObject({ call_id: callId, tool: text, args: json })).optional(),
    usage: z.strictObject({ prompt_tokens: count, completion_tokens: count }).optional(),
    finish: text.optional(),
    completion: text.optional(),
  }),
  call: z.strictObject({
    tool: text.min(1),
    args: json.default({}),
    call_id: callId.optional(),
    effect: effect.optional(),
  }),
  result: z.strictObject({
    call_id: callId,
    output: json.optional(),
    /** The tool failed, with these words; `output` is what it said until then. */
    error: text.optional(),
    /** The output is a tool's own word: `result, summary, knowledge_delta, outcome, error`. */
    own: z.literal(true).optional(),
    duration_ms: z.number().nonnegative().optional(),
  }),
  recall: z.strictObject({ ref: z.int().positive(), query: text.min(1).max(300) }),
  close: z.strictObject({ summary: text.optional() }),
}
type RequestName = keyof typeof requests

type Fields<Name extends RequestName> = z.infer<(typeof requests)[Name]>

/** One client and its log: requests are answered one after the other. */
export class ServedSession {
  readonly #store: Store
  readonly #settings: Partial<MemoryOptions>
  #memory: Memory | undefined
  readonly #calls = new Map<string, Awaited<ReturnType<Memory['recordCall']>>>()

  constructor(store: Store, settings: Partial<MemoryOptions>) {
    this.#store = store
    this.#settings = settings
  }

  /** The answer to a request. Throws `bad_argument` for one that is not of its form. */
  async answer(method: string, params: unknown): Promise<Json> {
    switch (method) {
      case 'open':
        return this.#open(read('open', params))
      case 'say':
        return { seq: (await this.#opened.say(read('say', params).text)).seq }
      case 'prompt':
        return this.#prompt(read('prompt', params))
      case 'answer':
        return this.#answered(read('answer', params))
      case 'call':
        return this.#call(read('call', params))
      case 'result':
        return this.#result(read('result', params))
      case 'recall':
        return this.#recall(read('recall', params))
      case 'close':
        return this.#close(read('close', params))
      default:
        throw new TwotrackError(
          'missing',
          `There is no "${method}"; there are: ${Object.keys(requests).join(', ')}.`,
        )
    }
  }

  /** Lets go of the log as it is: of a client that went without a word nobody knows whether it was done. */
  async end(): Promise<void> {
    await this.#memory?.close()
    this.#memory = undefined
  }

  get #opened(): Memory {
    if (this.#memory) return this.#memory
    throw new TwotrackError('closed', 'No log is open: send "open" with the name of an agent first.')
  }

  async #open({ agent, packet_tokens, run, wait_ms, ...given }: Fields<'open'>): Promise<Json> {
    if (this.#memory)
      throw new TwotrackError(
        'conflict',
        `The log of "${this.#memory.agent_id}" is open; one connection has one log.`,
      )
    const settings = {
      ...this.#settings,
      ...defined({ packetSizeLimit: packet_tokens, runId: run, waitMs: wait_ms }),
    }
    const { store, memory } = { store: this.#store, memory: { operation: 'task', ...defined(given) } }
    const opened = await Memory.open({ ...settings, ...memory, store, agentId: agent })
    const { turn, head, began } = await shownHere(opened)
    this.#memory = opened
    return { agent, turn, seq: head.seq, began: began !== undefined }
  }

  /** Begins a turn: what it gives is what the model is to be sent, and is recorded as that. */
  async #prompt({ model }: Fields<'prompt'>): Promise<Json> {
    const memory = this.#opened
    const turn = await memory.startTurn()
    const prompt = await memory.prompt()
    await memory.recordRequest(prompt, model)
    const { instructions, body, tokens } = prompt
    return { turn, instructions, body, text: prompt.text, tokens }
  }

  async #answered({ calls, ...given }: Fields<'answer'>): Promise<Json> {
    const response = await this.#opened.recordResponse({ ...defined(given), ...defined({ calls }) })
    return { seq: response.seq }
  }

  /** Recorded before the tool runs; the arguments come back with the secrets that placeholders stand for. */
  async #call({ tool, args, call_id, effect }: Fields<'call'>): Promise<Json> {
    const memory = this.#opened
    if (call_id !== undefined && this.#calls.has(call_id))
      throw new TwotrackError(
        'conflict',
        `Call "${call_id}" waits for its result; give that first, or another call_id.`,
      )
    const call = await memory.recordCall({ tool, args, ...defined({ callId: call_id, effect }) })
    this.#calls.set(call.data.call_id, call)
    return { call_id: call.data.call_id, seq: call.seq, args: memory.border.reveal(args).value }
  }

  async #result({ call_id, output, error, own, duration_ms }: Fields<'result'>): Promise<Json> {
    const call = this.#calls.get(call_id)
    if (!call) throw new TwotrackError('missing', `No call "${call_id}" waits for a result here.`)
    const said = own ? ownWord(output) : output
    const failure = output === undefined ? new Error(error) : failed(error ?? '', error, { result: output })
    const returned = error === undefined ? said : failure
    const result = await this.#opened.recordResult({
      call,
      returned,
      ...defined({ durationMs: duration_ms }),
    })
    this.#calls.delete(call_id)
    return { seq: result.seq, outcome: result.data.outcome }
  }

  async #recall({ ref, query }: Fields<'recall'>): Promise<Json> {
    const event = await eventAt(this.#store, this.#opened.agent_id, ref)
    const { bytes } = await rawBytes(this.#store, event)
    return { text: this.#opened.border.hide(await excerptOf([bytes], query)) }
  }

  /** With a summary the work is done; without one it was given up. */
  async #close({ summary }: Fields<'close'>): Promise<Json> {
    const memory = this.#opened
    const reason = summary === undefined ? 'cancelled' : 'submitted'
    await memory.record({ type: 'run_end', data: { reason, summary: summary ?? 'closed without a result' } })
    const { seq, hash } = memory.head
    await this.end()
    return { seq, hash }
  }
}

function read<Name extends RequestName>(name: Name, params: unknown): Fields<Name> {
  const parsed = requests[name].safeParse(params ?? {})
  if (parsed.success) return parsed.data as Fields<Name> // of this name's own schema
  throw new TwotrackError('bad_argument', `"${name}" can't be read: ${z.prettifyError(parsed.error)}`)
}
