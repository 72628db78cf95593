import { type Delta, deltaSchema } from '../../core/event/delta.ts'
import type { Event, EventFor, Settings } from '../../core/event/event.ts'
import { canonical, defined, toJson, tryParse } from '../../core/event/json.ts'
import { hideNothing } from '../../core/memory/hide.ts'
import type { FinishedCall } from '../../core/memory/learner.ts'
import { withLimit } from '../../core/memory/options.ts'
import { draftResult, withoutDelta } from '../../core/memory/result-draft.ts'
import { fold } from '../../core/packet/fold.ts'
import type { State } from '../../core/packet/state.ts'
import type { Store } from '../../core/store/store.ts'
import { assertFits, packetOf } from '../../core/view/prompt.ts'
import type { Reader } from '../../core/view/reader.ts'
import { assertView, VIEW } from '../../core/view/view.ts'
import { TwotrackError } from '../../errors.ts'
import { learnerOf } from '../../memory.ts'
import { personReply } from '../../summarize/person-reply.ts'
import type { Registry } from '../../summarize/summarize.ts'
import { markStated } from '../../tool/result.ts'
import { fieldIfThere, type LogSource } from '../history.ts'

/** What is different: settings, and who summarizes. */
export interface Difference extends OtherSettings {
  readonly registry?: Registry
}

/** Makes of each event of a log the event that it would have been. Nothing is written. */
export class Refold {
  readonly #store: Store
  readonly #difference: Difference
  readonly #reader: Reader
  readonly #calls = new Map<string, EventFor<'tool_call'>>()
  readonly #results = new Map<number, Event>()
  /** After the last event. */
  state: State | undefined
  #isImported = false
  /** Results that were summarized anew; and those that were kept as recorded: the tool's own words, or pruned. */
  summarized = 0
  kept = 0

  constructor(store: Store, difference: Difference, reader: Reader) {
    this.#store = store
    this.#difference = difference
    this.#reader = reader
  }

  async event(event: Event): Promise<Event> {
    if (event.type === 'tool_call') this.#calls.set(event.data.call_id, event)
    const other = await this.#other(event)
    this.state = fold(this.state, other)
    if (other.type === 'run_start') assertFits(this.state, this.#reader)
    return other
  }

  /** Where the events that changed are looked up again, as they would have been. */
  source(recorded: LogSource): LogSource {
    return {
      event: async (seq) => this.#results.get(seq) ?? recorded.event(seq),
      raw: async (event, field) => {
        // Raw parts are not kept here.
        const whole = await recorded.event(event.seq)
        return whole && recorded.raw(whole, field)
      },
    }
  }

  async #other(event: Event): Promise<Event> {
    if (event.type === 'run_start') {
      this.#isImported = event.data.origin !== undefined
      const settings = otherSettings(event.data.settings, this.#difference)
      return { ...event, data: { ...event.data, settings } }
    }
    const registry = this.#registry()
    if (event.type !== 'tool_result' || registry === undefined) return event
    const call = this.#calls.get(event.data.call_id)
    this.#calls.delete(event.data.call_id)
    const returned = call && (await this.#returned(event))
    // What the tool said of its result is not in the raw output: no summarizer could have changed it.
    if (!call || !this.state || returned === undefined || event.data.summarizer === 'tool') {
      this.kept++
      return event
    }
    this.summarized++
    const other = await this.#summarized(event, call, returned, this.state, registry)
    const { raw: _raw, ...kept } = other
    this.#results.set(event.seq, kept)
    return other
  }

  /** A recording's `respond` speaks to a person, as the import says. */
  #registry(): Registry | undefined {
    const { registry } = this.#difference
    if (registry === undefined || !this.#isImported) return registry
    return { ...registry, byTool: { respond: personReply, ...registry.byTool } }
  }

  /** What the tool returned, as far as the log tells; undefined once it was pruned. */
  async #returned(event: EventFor<'tool_result'>): Promise<unknown> {
    const output = await fieldIfThere(this.#store, event, 'raw_output')
    if (output === undefined || output instanceof Uint8Array) return output
    const parsed = await fieldIfThere(this.#store, event, 'parsed_output')
    const { error } = event.data
    const text = typeof output === 'string' ? output : canonical(output)
    if (error !== undefined)
      // A thrown error is recorded with its stack.
      return parsed === undefined && text.includes(`${error}\n    at `)
        ? Object.assign(new Error(error), { stack: text })
        : markStated({ result: parsed ?? text, outcome: 'error', error })
    if (parsed === undefined || parsed instanceof Uint8Array) return text
    if (canonical(parsed) === text) return parsed
    return { content: [{ type: 'text', text }], structuredContent: parsed }
  }

  async #summarized(
    event: EventFor<'tool_result'>,
    call: EventFor<'tool_call'>,
    returned: unknown,
    state: State,
    registry: Registry,
  ): Promise<EventFor<'tool_result'>> {
    const args = await fieldIfThere(this.#store, call, 'args')
    const learner = learnerOf(registry)
    const packet = () => packetOf(state, this.#reader)
    const finished: FinishedCall = {
      ...learner.read(returned),
      tool: call.data.tool,
      args: args === undefined || args instanceof Uint8Array ? call.data.args : args,
      turn: event.turn,
      state,
      get packet() {
        return packet()
      },
    }
    const facts = { call_id: call.data.call_id, proposed: event.delta?.set_candidates !== undefined }
    // What is recorded was hidden before.
    const made = draftResult(finished, facts, learner, hideNothing)
    const fault = deltaSchema.safeParse(made.delta).error?.issues[0]
    const draft = fault ? withoutDelta(made, `its delta can't be recorded: ${fault.message}`) : made
    const { outcome, summarizer, summarizer_version } = draft.data
    const { summarizer_version: _recorded, ...data } = event.data
    // Extensions stay as they were recorded: one that this run can't take would be refused by the fold.
    const { set_extension: _other, ...learned } = draft.delta ?? {}
    const delta = { ...learned, ...defined({ set_extension: event.delta?.set_extension }) }
    return {
      ...event,
      data: { ...data, outcome, summarizer, ...defined({ summarizer_version }) },
      // In the order in which it would be read from the log: packets show facts in theirs.
      delta: tryParse(canonical(toJson(delta))) as Delta, // the same value, its keys sorted
    }
  }
}

/** What a log is folded with instead of what it was recorded with. */
export interface OtherSettings {
  /** Tokens of the packet. */
  readonly limit?: number
  /** Name of a view, perhaps with a rendering: `desk:json`. */
  readonly view?: string
}

/** The settings that a new run with this limit and view would have; what is not given stays. */
function otherSettings(settings: Settings, { limit, view }: OtherSettings): Settings {
  return withView(limit === undefined ? settings : withLimit(settings, limit), view)
}

function withView(settings: Settings, view: string | undefined): Settings {
  if (view === undefined) return settings
  const [name = '', rendering = settings.rendering] = view.split(':')
  if (rendering !== 'json' && rendering !== 'outline')
    throw new TwotrackError(
      'bad_argument',
      `"${rendering}" is no rendering; after the view's name say json or outline.`,
    )
  const other = { ...settings, view: name, rendering } as const
  try {
    assertView(name)
  } catch (cause) {
    throw new TwotrackError('bad_argument', `There is no view "${name}"; new runs use ${VIEW}.`, {
      cause,
    })
  }
  return other
}
