import { randomUUID } from 'node:crypto'
import { messageOf, TwotrackError } from '../errors.ts'
import type { Candidate, Delta } from '../event/delta.ts'
import type { BlobRef, Draft, Event, EventFor } from '../event/event.ts'
import { GENESIS } from '../event/event.ts'
import { canonical, type Json, withinDepth } from '../event/json.ts'
import { type Sealed, seal } from '../event/line.ts'
import { SNAPSHOT_EVENTS, VALUE_DEPTH_MAX } from '../limits.ts'
import { fold } from '../packet/fold.ts'
import type { Measure } from '../packet/measure.ts'
import { mergeDeltas } from '../packet/merge.ts'
import type { Packet } from '../packet/packet.ts'
import { writeState } from '../packet/snapshot.ts'
import type { State } from '../packet/state.ts'
import { measureOf } from '../prompt/measure.ts'
import { assertFits, type Prompt, packetOf, promptFrom } from '../prompt/prompt.ts'
import { sha256 } from '../sha256.ts'
import type { LogWriter, Recovery, Store } from '../store/store.ts'
import type { Registry } from '../summarize/summarize.ts'
import { Kept } from '../tool/kept.ts'
import { stateAt } from './at.ts'
import { spill } from './blobs.ts'
import { extensionChecks } from './extensions.ts'
import { type ChatMessage, messagesOf } from './messages.ts'
import { type MemoryOptions, runStartOf } from './options.ts'
import { registryOf } from './registry.ts'
import { draftResult, withoutRaw } from './result-draft.ts'
import { loadTokenizer } from './tokenizer.ts'

/** Proposes a change of the packet before a prompt; what it proposes is recorded like everything else. */
export type Middleware = (packet: Packet) => Delta | undefined | Promise<Delta | undefined>

/** How a prompt was put for a model; without any of it, as the prompt's own text. */
export interface SentPrompt {
  readonly format?: string
  readonly context?: 'packet' | 'messages' | 'both'
  readonly text?: string
}

interface Parts {
  readonly options: MemoryOptions
  readonly writer: LogWriter
  readonly identity: Pick<Event, 'run_id' | 'agent_id' | 'operation' | 'node_id'>
  readonly state: State
  readonly head: { readonly seq: number; readonly hash: string }
  readonly measure: Measure
  readonly checkExtensions: (delta: Delta) => void
}

/**
 * Holds one agent's log and the packet folded from it. `record` is the one way in: validate, append durably,
 * fold. Nothing else changes the packet.
 */
export class Memory {
  readonly agent_id: string
  /** Set when opening cut a torn tail off the log. */
  readonly recovered: Recovery | undefined
  readonly #store: Store
  readonly #writer: LogWriter
  readonly #identity: Parts['identity']
  readonly #measure: Measure
  readonly #registry: Registry
  readonly #middleware: readonly Middleware[]
  readonly #now: () => Date
  readonly #newId: () => string
  readonly #checkExtensions: (delta: Delta) => void
  /** The state on disk, and the state once all that is under way is on disk. */
  #state: State
  #next: State
  #head: Parts['head']
  #sealing: Promise<unknown> = Promise.resolve()
  #folding: Promise<unknown> = Promise.resolve()
  #shown: { state: State; packet: Packet } | undefined
  #closed = false
  /** Why nothing more can be recorded: an append failed, so what is in memory may be ahead of the disk. */
  #failure: unknown

  private constructor({ options, writer, identity, state, head, measure, checkExtensions }: Parts) {
    this.agent_id = options.agent_id
    this.recovered = writer.recovered
    this.#store = options.store
    this.#writer = writer
    this.#identity = identity
    this.#measure = measure
    this.#registry = registryOf(options.summarizers, options.summarizer_mode)
    this.#middleware = options.middleware ?? []
    this.#now = options.now ?? (() => new Date())
    this.#newId = options.newId ?? randomUUID
    this.#checkExtensions = checkExtensions
    this.#state = state
    this.#next = state
    this.#head = head
  }

  /** Opens an agent's log, continuing it if it exists. Nothing is written if the run cannot begin. */
  static async open(options: MemoryOptions): Promise<Memory> {
    const { store, agent_id } = options
    const existing = await store.head(agent_id)
    return existing && existing.seq > 0 ? Memory.#continue(options) : Memory.#begin(options)
  }

  static async #begin(options: MemoryOptions): Promise<Memory> {
    const data = runStartOf(options)
    const identity = {
      run_id: options.run_id ?? options.agent_id,
      agent_id: options.agent_id,
      operation: options.operation ?? 'task',
      node_id: data.node.id,
    }
    const first = seal(
      { type: 'run_start', data },
      {
        ...identity,
        id: (options.newId ?? randomUUID)(),
        seq: 1,
        turn: 0,
        timestamp: (options.now ?? (() => new Date()))().toISOString(),
        prev: GENESIS,
      },
      sha256,
    )
    const state = fold(undefined, first.event)
    const measure = measureOf(state.settings.rendering, await loadTokenizer(state.settings.tokenizer))
    assertFits(state, measure)
    const checkExtensions = extensionChecks(state.settings)
    const writer = await options.store.open(options.agent_id)
    try {
      await writer.append([first], 0)
    } catch (thrown) {
      await writer.close().catch(() => {})
      throw thrown
    }
    const head = { seq: 1, hash: first.event.hash }
    return new Memory({ options, writer, identity, state, head, measure, checkExtensions })
  }

  static async #continue(options: MemoryOptions): Promise<Memory> {
    const writer = await options.store.open(options.agent_id)
    try {
      const { state, last } = await stateAt(options.store, options.agent_id, { seq: writer.head.seq })
      const measure = measureOf(state.settings.rendering, await loadTokenizer(state.settings.tokenizer))
      const identity = {
        run_id: options.run_id ?? last.run_id,
        agent_id: last.agent_id,
        operation: last.operation,
        node_id: last.node_id,
      }
      const checkExtensions = extensionChecks(state.settings)
      return new Memory({ options, writer, identity, state, head: writer.head, measure, checkExtensions })
    } catch (thrown) {
      await writer.close().catch(() => {})
      throw thrown
    }
  }

  /** The packet of everything that is on disk. The same reference while nothing in it changed. */
  get packet(): Packet {
    const shown = this.#shown
    if (shown?.state === this.#state) return shown.packet
    const made = packetOf(this.#state, this.#measure)
    // The state also holds what is not shown. The order of keys counts: the rendering follows it.
    const packet = shown && JSON.stringify(shown.packet) === JSON.stringify(made) ? shown.packet : made
    this.#shown = { state: this.#state, packet }
    return packet
  }

  get turn(): number {
    return this.#next.turn
  }

  /** Declared in run_start: what a model may call. */
  get tools(): State['tools'] {
    return this.#next.tools
  }

  /** What stands before the packet in every prompt. */
  get instructions(): string {
    return this.#next.instructions
  }

  /** The candidate actions as they were proposed; the packet may show fewer. */
  get candidates(): readonly Candidate[] {
    return this.#next.candidates?.value ?? []
  }

  /** Of all prompts that were recorded so far. */
  get promptTokens(): number {
    return this.#next.prompt_tokens
  }

  get head(): { readonly seq: number; readonly hash: string } {
    return this.#head
  }

  /** The one way in. Resolves with the event once it is on disk and folded; rejects a bad draft unchanged. */
  async record(draft: Draft, blobs: Record<string, BlobRef> = {}): Promise<Event> {
    if (this.#closed)
      throw new TwotrackError('closed', `The memory of agent "${this.agent_id}" is closed; open it again.`)
    const sealed = this.#sealing.then(() => this.#append(draft, blobs))
    this.#sealing = sealed.catch(() => {})
    const { event, appended, state } = await sealed
    const folded = this.#folding.then(async () => {
      await appended.catch((thrown: unknown) => {
        throw thrown === this.#failure ? thrown : this.#refusal()
      })
      this.#state = state
    })
    this.#folding = folded.catch(() => {})
    await folded
    if (event.seq % SNAPSHOT_EVENTS === 0) await this.#snapshot(event, state)
    return event
  }

  /** The next turn begins. */
  async startTurn(): Promise<number> {
    const event = await this.record({ type: 'turn_start', data: {}, turn: this.turn + 1 })
    return event.turn
  }

  /** Records a call before the tool runs. */
  async recordCall(call: {
    tool: string
    args: Json
    effect?: 'pure' | 'idempotent' | 'effect'
    call_id?: string
  }): Promise<EventFor<'tool_call'>> {
    const { tool, effect = 'effect', call_id = this.#newId() } = call
    const args = withinDepth(call.args, VALUE_DEPTH_MAX) ? call.args : JSON.stringify(call.args)
    const event = await this.record({ type: 'tool_call', data: { call_id, tool, args, effect } })
    return event as EventFor<'tool_call'> // an event has the type of its draft
  }

  /** Records whatever the tool returned or threw, byte for byte, with what the packet learns from it. */
  async recordResult(
    call: EventFor<'tool_call'>,
    returned: unknown,
    args?: Json,
    duration_ms?: number,
  ): Promise<Event> {
    const kept = returned instanceof Kept ? returned : undefined
    const { draft, bytes } = draftResult(
      {
        call,
        returned: kept ? kept.shown : returned,
        args: args ?? call.data.args ?? {},
        turn: this.turn,
        packet: () => this.packet,
        duration_ms,
      },
      this.#registry,
    )
    if (kept) return this.record(withoutRaw(draft), { raw_output: kept.raw })
    return this.record(draft, bytes ? { raw_output: await this.#store.putBlob(bytes, 'bytes') } : {})
  }

  /** The prompt of now. Middleware speaks first; what it proposes is recorded, then folded, then shown. */
  async prompt(): Promise<Prompt> {
    for (const propose of this.#middleware) {
      const delta = await propose(this.packet)
      if (delta) await this.correct('middleware', 'proposed before a prompt', delta)
    }
    return promptFrom(this.packet, this.#state, this.#measure)
  }

  /** A change that no tool made: by a person, or by middleware. */
  async correct(by: string, note: string, ...deltas: Delta[]): Promise<Event> {
    const delta = deltas.reduce(mergeDeltas, {})
    return this.record({ type: 'correction', data: { by, note }, delta })
  }

  /** Records that a prompt goes to a model, with the exact text that it is given. */
  async recordRequest(prompt: Prompt, model: string, sent: SentPrompt = {}): Promise<Event> {
    const { format = 'text', context = 'packet', text = prompt.text } = sent
    return this.record({
      type: 'model_request',
      data: {
        model,
        context,
        format,
        packet_sha256: sha256(canonical(prompt.packet)),
        prompt: text,
        prompt_sha256: sha256(text),
        prompt_tokens: text === prompt.text ? prompt.tokens : this.#measure.tokens(text),
        tools_sha256: sha256(prompt.declarations),
      },
    })
  }

  /** The chat transcript that other runners would send: one more fold of the same log. */
  messages(): Promise<ChatMessage[]> {
    return messagesOf(this.#store, this.agent_id)
  }

  /** Waits for what is under way, then lets go of the log. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#sealing
    await this.#folding
    await this.#writer.close()
  }

  async #append(
    draft: Draft,
    blobs: Record<string, BlobRef>,
  ): Promise<{ event: Event; state: State; appended: Promise<void> }> {
    if (this.#failure !== undefined) throw this.#refusal()
    if (draft.turn !== undefined && draft.turn < this.#next.turn) {
      throw new TwotrackError(
        'bad_event',
        `An event of turn ${draft.turn} can't follow turn ${this.#next.turn}: turns never go back.`,
      )
    }
    const sealed = this.#seal(await spill(this.#store, draft, blobs))
    if (draft.delta) this.#checkExtensions(draft.delta)
    const state = fold(this.#next, sealed.event)
    const appended = this.#writer.append([sealed], this.#head.seq)
    appended.catch((thrown: unknown) => {
      this.#failure ??= thrown
    })
    this.#next = state
    this.#head = { seq: sealed.event.seq, hash: sealed.event.hash }
    return { event: sealed.event, state, appended }
  }

  #refusal(): TwotrackError {
    return new TwotrackError(
      'io',
      `The memory of agent "${this.agent_id}" records nothing more since an append failed ` +
        `(${messageOf(this.#failure)}). Close it and open it again: it continues from what is on disk.`,
      { cause: this.#failure },
    )
  }

  /** A cache: the event is on disk whether or not its snapshot can be written. */
  async #snapshot({ seq, hash }: Event, state: State): Promise<void> {
    await this.#store.putSnapshot(this.agent_id, { seq, hash, state: writeState(state) }).catch(() => {})
  }

  #seal(draft: Draft & { blobs?: Record<string, BlobRef> }): Sealed {
    return seal(
      draft,
      {
        ...this.#identity,
        id: this.#newId(),
        seq: this.#head.seq + 1,
        turn: draft.turn ?? this.#next.turn,
        timestamp: this.#now().toISOString(),
        prev: this.#head.hash,
      },
      sha256,
    )
  }
}
