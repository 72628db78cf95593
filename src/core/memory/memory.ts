import { randomUUID } from 'node:crypto'
import { messageOf } from '../../errors.ts'
import { inTime } from '../../in-time.ts'
import { TOOL_DEADLINE_MS_DEFAULT } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import type { Delta } from '../event/delta.ts'
import type { BlobRef, Draft, Event, EventFor } from '../event/event.ts'
import { frozen } from '../event/frozen.ts'
import { canonical, defined, type Json, recordable } from '../event/json.ts'
import { mergeDeltas } from '../packet/merge.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import type { Recovery, Store } from '../store/store.ts'
import { type Prompt, packetOf, promptFrom } from '../view/prompt.ts'
import type { Reader } from '../view/reader.ts'
import { type Hide, hideReturned } from './hide.ts'
import { type FinishedCall, heard, type Learner } from './learner.ts'
import { type ChatMessage, messagesOf } from './messages.ts'
import type { OpenedLog } from './open.ts'
import type { LogOptions, Middleware } from './options.ts'
import { Recorder } from './recorder.ts'
import { calledIn, draftResult, withoutFault } from './result-draft.ts'
import type { CallToRecord, ResponseToRecord, ResultToRecord, SentPrompt } from './to-record.ts'

/**
 * Holds one agent's log and the packet folded from it. `record` is the one way in: validate, append durably,
 * fold. Nothing else changes the packet.
 */
export class AgentMemory {
  readonly agent_id: string
  /** Set when opening cut a torn tail off the log. @internal */
  readonly recovered: Recovery | undefined
  /** The log's first event, where opening began it. @internal */
  readonly began: Event | undefined
  readonly #store: Store
  readonly #recorder: Recorder
  readonly #reader: Reader
  readonly #learner: Learner
  readonly #middleware: readonly Middleware[]
  readonly #newId: () => string
  #shown: { state: State; packet: Packet } | undefined

  /** @internal */
  constructor(options: LogOptions, opened: OpenedLog, learner: Learner) {
    this.agent_id = options.agentId
    this.recovered = opened.writer.recovered
    this.began = opened.began?.event
    this.#store = options.store
    this.#recorder = new Recorder(options, opened)
    this.#reader = opened.reader
    this.#learner = learner
    this.#middleware = options.middleware ?? []
    this.#newId = options.newId ?? randomUUID
  }

  /** The packet of everything that is on disk, or recorded where events are grouped. The same reference while nothing in it changed. */
  get packet(): Packet {
    const { state } = this.#recorder
    const shown = this.#shown
    if (shown?.state === state) return shown.packet
    const made = packetOf(state, this.#reader)
    // The state also holds what is not shown. The order of keys counts: the rendering follows it.
    const packet =
      shown && JSON.stringify(shown.packet) === JSON.stringify(made) ? shown.packet : frozen(made)
    this.#shown = { state, packet }
    return packet
  }

  /** What the packet is chosen from: everything the fold carries. @internal */
  get state(): State {
    return frozen(this.#recorder.state)
  }

  get turn(): number {
    return this.#recorder.next.turn
  }

  get head(): { readonly seq: number; readonly hash: string } {
    return this.#recorder.head
  }

  /** The one way in. Resolves with the event once it is on disk and folded; rejects a bad draft unchanged. */
  record(draft: Draft, blobs: Record<string, BlobRef> = {}): Promise<Event> {
    return this.#recorder.record(draft, blobs, (hidden) => heard(hidden, this.#learner, this.#recorder.next))
  }

  /** Calls `observe` with each event once it is on disk, in order. It must not throw. */
  observe(observe: (event: Event) => void): void {
    this.#recorder.observe(observe)
  }

  /**
   * Calls `follow` with each event once it is folded, before it is on disk where events are grouped. It must not throw.
   * @internal
   */
  follow(follow: (event: Event) => void): void {
    this.#recorder.follow(follow)
  }

  /** Resolves once everything that was recorded is on disk; needed only where events are `grouped`. */
  flush(): Promise<void> {
    return this.#recorder.flush()
  }

  /** The next turn begins. */
  async startTurn(): Promise<number> {
    const event = await this.record({ type: 'turn_start', data: {}, turn: this.turn + 1 })
    return event.turn
  }

  /** Records a call before the tool runs. */
  async recordCall(call: CallToRecord): Promise<EventFor<'tool_call'>> {
    const { tool, effect = 'effect', callId: call_id = this.#newId() } = call
    const args = recordable(call.args)
    const event = await this.record({ type: 'tool_call', data: { call_id, tool, args, effect } })
    return event as EventFor<'tool_call'> // an event has the type of its draft
  }

  /** Records whatever the tool returned or threw, byte for byte, with what the packet learns from it. */
  async recordResult(result: ResultToRecord): Promise<EventFor<'tool_result'>> {
    const { call, returned, args, durationMs: duration_ms, log, policy } = result
    const { hide } = this.#recorder
    const packet = () => this.packet
    const finished: FinishedCall = {
      ...hideReturned(hide, this.#learner.read(returned)),
      tool: calledIn(call).tool,
      args: hide.hideIn(recordable(args ?? call.data.args ?? {})),
      turn: this.turn,
      state: this.#recorder.next,
      // Made only if a summarizer asks for it: choosing what a packet shows takes its time.
      get packet() {
        return packet()
      },
    }
    const facts = {
      ...defined({ duration_ms, log, policy }),
      call_id: call.data.call_id,
      proposed: (this.#recorder.next.candidates?.value.length ?? 0) > 0,
    }
    const draft = draftResult(finished, facts, this.#learner, hide)
    const { bytes, stored } = finished
    const raw_output = stored ?? (bytes && (await this.#store.putBlob(bytes, 'bytes')))
    const blobs = raw_output ? { raw_output } : {}
    const event = await this.#recorder.recordHidden(draft, blobs, withoutFault)
    return event as EventFor<'tool_result'> // an event has the type of its draft
  }

  /**
   * Records a call, runs it, and records what came of it and how long it took. `run` is given the arguments with the
   * secrets that their placeholders stand for. Gives what it returned; what it threw is recorded and thrown again.
   */
  async recordToolRun<Result>(
    call: CallToRecord,
    run: (args: Json) => Result | Promise<Result>,
  ): Promise<Result> {
    const recorded = await this.recordCall(call)
    await this.flush()
    const begun = performance.now()
    const end = (returned: unknown) =>
      this.recordResult({
        call: recorded,
        returned,
        args: call.args,
        durationMs: Math.round(performance.now() - begun),
      })
    let returned: Result
    try {
      returned = await run(this.border.reveal(recordable(call.args)).value)
    } catch (thrown) {
      await end(thrown instanceof Error ? thrown : new Error(String(thrown)))
      throw thrown
    }
    await end(returned)
    return returned
  }

  /** Stores bytes for an event that will name them, without the secrets in them. @internal */
  keep(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<BlobRef> {
    const { bytes, stream } = this.#recorder.hide
    return this.#store.putBlob(content instanceof Uint8Array ? bytes(content) : stream(content), 'bytes')
  }

  /** What everything recorded passes: secrets in it become placeholders, and back for a tool that is given them. @internal */
  get border(): Hide {
    return this.#recorder.hide
  }

  /**
   * The prompt of now. Middleware speaks first; what it proposes is recorded, then folded, then shown. One that throws,
   * writes into the packet or takes too long is an event, and the prompt is made without it.
   */
  async prompt(
    within: { readonly signal?: AbortSignal; readonly deadlineMs?: number } = {},
  ): Promise<Prompt> {
    const { signal, deadlineMs = TOOL_DEADLINE_MS_DEFAULT } = within
    for (const propose of this.#middleware) {
      try {
        const delta = await inTime('middleware', deadlineMs, signal, () => propose(this.packet))
        if (delta) await this.suggest('middleware', 'before a prompt', delta)
      } catch (thrown) {
        if (signal?.aborted) throw thrown
        await this.record({ type: 'agent_error', data: { where: 'middleware', message: messageOf(thrown) } })
      }
    }
    return promptFrom(this.packet, this.#recorder.state, this.#reader)
  }

  /** A person speaks to the agent: the packet shows the latest words whole. */
  async say(text: string): Promise<Event> {
    return this.record({ type: 'person_message', data: { text } })
  }

  /** A person changes what the packet holds; tools can't undo it. */
  async correct(by: string, note: string, ...deltas: Delta[]): Promise<Event> {
    return this.record({ type: 'correction', data: { by, note }, delta: deltas.reduce(mergeDeltas, {}) })
  }

  /** The agent's definition speaks: rules, context providers, middleware. */
  async suggest(by: string, note: string, ...deltas: Delta[]): Promise<Event> {
    return this.record({ type: 'candidates', data: { by, note }, delta: deltas.reduce(mergeDeltas, {}) })
  }

  /** Records that a prompt goes to a model, with the exact text that it is given. */
  async recordRequest(prompt: Prompt, model: string, sent: SentPrompt = {}): Promise<Event> {
    const { purpose = 'turn', format = 'text', context = 'packet', parameters, transcript } = sent
    const { text = prompt.text, counted = text } = sent
    return this.record({
      type: 'model_request',
      data: {
        model,
        purpose,
        context,
        format,
        packet_sha256: sha256(canonical(prompt.packet)),
        prompt_sha256: sha256(text),
        prompt_tokens: text === prompt.text ? prompt.tokens : this.#reader.count(counted),
        tools_sha256: sha256(prompt.declarations),
        ...defined({ parameters, transcript }),
      },
      raw: { prompt: text },
    })
  }

  /** Records what a model answered: its words, its calls, and the completion byte for byte. */
  async recordResponse(response: ResponseToRecord): Promise<Event> {
    const { model, text = '', calls, usage, latencyMs: latency_ms, finish, completion } = response
    const draft: Draft = {
      type: 'model_response',
      data: { model, text, ...defined({ calls: calls && [...calls], usage, latency_ms, finish }) },
    }
    if (completion === undefined) return this.record(draft)
    if (typeof completion === 'string') return this.record({ ...draft, raw: { completion } })
    return this.record(draft, { completion: await this.keep(completion) })
  }

  /** The chat transcript that other runners would send: one more fold of the same log. */
  async messages(): Promise<ChatMessage[]> {
    await this.flush()
    return messagesOf(this.#store, this.agent_id)
  }

  /** Waits for what is under way, then lets go of the log; of grouped events those not on disk can be abandoned. Safe to call twice. */
  close(how?: 'abandon'): Promise<void> {
    return this.#recorder.close(how)
  }
}
