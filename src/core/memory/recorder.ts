import { randomUUID } from 'node:crypto'
import { messageOf, TwotrackError } from '../../errors.ts'
import { JSON_DEPTH_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import type { Delta } from '../event/delta.ts'
import type { BlobRef, Draft, Event } from '../event/event.ts'
import { isWalkable } from '../event/json.ts'
import { type Sealed, seal } from '../event/line.ts'
import { fold } from '../packet/fold.ts'
import type { State } from '../packet/state.ts'
import type { Head, LogWriter, Store } from '../store/store.ts'
import { shorten, spill } from './blobs.ts'
import { type Hide, hideDraft } from './hide.ts'
import { newNonces } from './nonces.ts'
import { extensionChecks, type OpenedLog } from './open.ts'
import type { LogOptions } from './options.ts'

/** An event in its place; `written` is awaited unless events are grouped. */
interface Added {
  readonly event: Event
  readonly written?: Promise<void>
}

/**
 * The one way in: validate, append durably, fold. Calls may overlap; their events keep the order of the calls, and
 * the store syncs many at once.
 */
export class Recorder {
  readonly agent_id: string
  readonly hide: Hide
  readonly #store: Store
  readonly #writer: LogWriter
  readonly #identity: OpenedLog['identity']
  readonly #grouped: boolean
  readonly #now: () => Date
  readonly #newId: () => string
  readonly #newNonces: typeof newNonces
  readonly #checkExtensions: (delta: Delta) => void
  /** The state on disk, and the state once all that is under way is on disk. */
  #state: State
  #next: State
  #head: Head
  #sealing: Promise<unknown> = Promise.resolve()
  #writing: Promise<unknown> = Promise.resolve()
  /** Folded, and not yet given to the store. */
  #waiting: { readonly sealed: Sealed; readonly state: State }[] = []
  #closed = false
  /** Why nothing more can be recorded: an append failed, so what is in memory may be ahead of the disk. */
  #failure: unknown
  readonly #observers: ((event: Event) => void)[] = []
  readonly #followers: ((event: Event) => void)[] = []

  constructor(options: LogOptions, { writer, identity, state, head, hide, began }: OpenedLog) {
    this.hide = hide
    this.agent_id = options.agentId
    this.#store = options.store
    this.#writer = writer
    this.#identity = identity
    this.#grouped = options.grouped ?? false
    this.#now = options.now ?? (() => new Date())
    this.#newId = options.newId ?? randomUUID
    this.#newNonces = options.newNonces ?? newNonces
    this.#checkExtensions = extensionChecks(state.settings)
    this.#state = state
    this.#next = state
    this.#head = head
    if (this.#grouped && began) this.#waiting.push({ sealed: began, state })
  }

  /** Of everything that is on disk; where events are grouped, of everything that was recorded. */
  get state(): State {
    return this.#grouped ? this.#next : this.#state
  }

  /** Of everything that was recorded, on disk or on its way there. */
  get next(): State {
    return this.#next
  }

  get head(): Head {
    return this.#head
  }

  /** Calls `observe` with each event once it is on disk, in order. It must not throw. */
  observe(observe: (event: Event) => void): void {
    this.#observers.push(observe)
  }

  /** The same as soon as an event is folded, also where it waits for `flush`. */
  follow(follow: (event: Event) => void): void {
    this.#followers.push(follow)
  }

  /**
   * Resolves with the event once it is on disk and folded, or where events are grouped once it is folded; rejects a bad
   * draft unchanged. `listen` may add to a draft that holds no secret any more.
   */
  async record(
    draft: Draft,
    blobs: Record<string, BlobRef> = {},
    listen: (draft: Draft) => Draft = (hidden) => hidden,
  ): Promise<Event> {
    // Whoever looks at it first, such as for secrets, would never come to the end of it.
    if (!isWalkable(draft))
      throw new TwotrackError(
        'bad_event',
        `What is to be recorded as ${draft.type} holds itself, is nested deeper than ${JSON_DEPTH_MAX} or is written out without end; give plain JSON.`,
      )
    return this.recordHidden(listen(hideDraft(this.hide, draft)), blobs)
  }

  /**
   * The same for a draft without secrets. `instead` gives another for one that is refused, in the same place: it is
   * asked once with the reason, and again if that one is refused too.
   */
  async recordHidden(
    draft: Draft,
    blobs: Record<string, BlobRef>,
    instead?: (draft: Draft, refusal: TwotrackError) => Draft | undefined,
  ): Promise<Event> {
    if (this.#closed)
      throw new TwotrackError('closed', `The memory of agent "${this.agent_id}" is closed; open it again.`)
    const added = this.#sealing.then(() => this.#addOr(draft, blobs, instead))
    this.#sealing = added.catch(() => {})
    const { event, written } = await added
    await written
    return event
  }

  /** Resolves once everything that was recorded is on disk. */
  async flush(): Promise<void> {
    await this.#sealing
    await this.#write()
  }

  /** Waits for what is under way, then lets go of the log. Safe to call twice. */
  async close(how?: 'abandon'): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (how === 'abandon') this.#waiting = []
    await this.flush().catch(() => {})
    await this.#writer.close()
  }

  async #addOr(
    draft: Draft,
    blobs: Record<string, BlobRef>,
    instead?: (draft: Draft, refusal: TwotrackError) => Draft | undefined,
  ): Promise<Added> {
    try {
      return await this.#add(draft, blobs)
    } catch (thrown) {
      const other = thrown instanceof TwotrackError ? instead?.(draft, thrown) : undefined
      if (other === undefined) throw thrown
      return this.#addOr(other, blobs, instead)
    }
  }

  async #add(draft: Draft, blobs: Record<string, BlobRef>): Promise<Added> {
    if (this.#failure !== undefined) throw this.#refusal()
    if (draft.turn !== undefined && draft.turn < this.#next.turn) {
      throw new TwotrackError(
        'bad_event',
        `An event of turn ${draft.turn} can't follow turn ${this.#next.turn}: turns never go back.`,
      )
    }
    this.#assertOpen(draft)
    const sealed = this.#seal(await spill(this.#store, shorten(draft), blobs))
    if (draft.delta) this.#checkExtensions(draft.delta)
    const { event } = sealed
    this.#next = fold(this.#next, event)
    this.#head = { seq: event.seq, hash: event.hash }
    this.#waiting.push({ sealed, state: this.#next })
    for (const follow of this.#followers) follow(event)
    return this.#grouped ? { event } : { event, written: this.#write() }
  }

  /** A call has one result: another would be told as if it had been made twice. */
  #assertOpen(draft: Draft): void {
    if (draft.type !== 'tool_result') return
    const { call_id } = draft.data
    const calls = this.#next.actions.filter((action) => action.call_id === call_id)
    const answered = calls.at(-1)
    if (answered && calls.every(({ outcome }) => outcome !== null))
      throw new TwotrackError(
        'bad_event',
        `Call ${JSON.stringify(call_id)} has its result already (event #${answered.ref}); record each call with recordCall before its result.`,
      )
  }

  /** Gives the store what waits; resolves once it and all before it is on disk, and tells of it in order. */
  #write(): Promise<void> {
    const group = this.#waiting.splice(0)
    const events = group.map(({ sealed }) => sealed)
    const before = this.#head.seq - events.length
    const appended = events.length === 0 ? Promise.resolve() : this.#writer.append(events, before)
    appended.catch((thrown: unknown) => {
      this.#failure ??= thrown
    })
    const written = this.#writing.then(async () => {
      await appended.catch((thrown: unknown) => {
        throw thrown === this.#failure ? thrown : this.#refusal()
      })
      if (group.length === 0 && this.#failure !== undefined) throw this.#refusal()
      for (const { sealed, state } of group) {
        this.#state = state
        for (const observe of this.#observers) observe(sealed.event)
      }
    })
    this.#writing = written.catch(() => {})
    return written
  }

  #refusal(): TwotrackError {
    return new TwotrackError(
      'io',
      `The memory of agent "${this.agent_id}" records nothing more since an append failed ` +
        `(${messageOf(this.#failure)}). Close it and open it again: it continues from what is on disk.`,
      { cause: this.#failure },
    )
  }

  #seal(draft: Draft): Sealed {
    return seal(
      draft,
      {
        ...this.#identity,
        id: this.#newId(),
        seq: this.#head.seq + 1,
        turn: draft.turn ?? this.#next.turn,
        timestamp: this.#now().toISOString(),
        prev: this.#head.hash,
        nonces: this.#newNonces(),
      },
      sha256,
    )
  }
}
