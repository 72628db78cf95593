import { TwotrackError } from '../../errors.ts'
import type { Event } from '../../event/event.ts'
import type { MemoryOptions } from '../../memory/options.ts'
import { registryOf } from '../../memory/registry.ts'
import { loadTokenizer } from '../../memory/tokenizer.ts'
import { diffPackets } from '../../packet/diff.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { counterOf } from '../../prompt/tokens/counter.ts'
import type { Store } from '../../store/store.ts'
import { sourceOf } from '../blindspots/source.ts'
import type { BlindDecision, Spot } from '../blindspots/spot.ts'
import { Walk } from '../blindspots/walk.ts'
import { assertTurn } from '../history.ts'
import { Refold } from './refold.ts'
import type { OtherSettings } from './settings.ts'

export interface WhatIfOptions extends OtherSettings {
  /** Who summarizes instead, as in `Memory.open`; before the built-in ones. An empty list: the built-in ones of today. */
  readonly summarizers?: NonNullable<MemoryOptions['summarizers']>
  /** The turn whose two packets are wanted as text. */
  readonly turn?: number
}

/** The packets that the calls of one turn were, and would have been, chosen with. */
export interface OtherTurn {
  readonly turn: number
  readonly tokens: { readonly before: number; readonly after: number }
  /** Leaves of the packet that differ. */
  readonly changes: number
  readonly opened: number
  readonly closed: number
  /** Only for the turn that was asked for. */
  readonly packets?: { readonly before: string; readonly after: string }
}

export interface WhatIf {
  readonly agent_id: string
  readonly turns: readonly OtherTurn[]
  /** Of all prompts together. */
  readonly tokens: { readonly before: number; readonly after: number }
  /** Blind spots that would be new, and those that would be gone; each with what it was needed for. */
  readonly opened: readonly Spot[]
  readonly closed: readonly Spot[]
  /** Harm of the ones gone less harm of the new ones: below 0, more is lost than won. */
  readonly balance: number
  readonly summarized: number
  /** Results that no summarizer could speak of: the tool's own words, or pruned output. */
  readonly kept: number
}

/** An old log folded with other summarizers, another limit or another view, beside itself. Nothing is written. */
export async function whatIf(store: Store, agentId: string, options: WhatIfOptions): Promise<WhatIf> {
  const both = new Both(store, agentId, options)
  for await (const event of store.read(agentId)) await both.event(event)
  return both.end()
}

/** Walks through a log as it is and as it would be, event by event. */
class Both {
  readonly #store: Store
  readonly #agentId: string
  readonly #options: WhatIfOptions
  readonly #turns = new Map<number, Omit<OtherTurn, 'opened' | 'closed'>>()
  #before: Walk | undefined
  #after: Walk | undefined
  #refold: Refold | undefined
  #prompt: Prompt | undefined

  constructor(store: Store, agentId: string, options: WhatIfOptions) {
    this.#store = store
    this.#agentId = agentId
    this.#options = options
  }

  async event(event: Event): Promise<void> {
    if (event.type === 'run_start') await this.#begin(event.data.settings.tokenizer)
    await this.#before?.event(event)
    const other = await this.#refold?.event(event)
    if (other) await this.#after?.event(other)
  }

  async #begin(tokenizer: string): Promise<void> {
    const count = counterOf(await loadTokenizer(tokenizer))
    const recorded = sourceOf(this.#store, this.#agentId)
    const { summarizers, limit, view } = this.#options
    this.#refold = new Refold(
      this.#store,
      {
        ...(limit === undefined ? {} : { limit }),
        ...(view === undefined ? {} : { view }),
        ...(summarizers === undefined ? {} : { registry: registryOf(summarizers) }),
      },
      count,
    )
    this.#before = new Walk(recorded, count, (_turn, prompt) => {
      this.#prompt = prompt
    })
    // The same events lead both to the same decisions, one right after the other.
    this.#after = new Walk(this.#refold.source(recorded), count, (turn, prompt) => this.#pair(turn, prompt))
  }

  #pair(turn: number, after: Prompt): void {
    const before = this.#prompt
    if (!before) return
    this.#turns.set(turn, {
      turn,
      tokens: { before: before.tokens, after: after.tokens },
      changes: diffPackets(before.packet, after.packet).length,
      ...(turn === this.#options.turn ? { packets: { before: before.body, after: after.body } } : {}),
    })
  }

  async end(): Promise<WhatIf> {
    if (!this.#before || !this.#after || !this.#refold)
      throw new TwotrackError(
        'bad_event',
        `The log of agent "${this.#agentId}" does not begin with run_start.`,
      )
    assertTurn(this.#agentId, this.#options.turn, this.#before.turn)
    const [before, after] = [await this.#before.end(), await this.#after.end()]
    const opened = without(after, before)
    const closed = without(before, after)
    const turns = [...this.#turns.values()].map((turn) => ({
      ...turn,
      opened: opened.filter((spot) => spot.turn === turn.turn).length,
      closed: closed.filter((spot) => spot.turn === turn.turn).length,
    }))
    return {
      agent_id: this.#agentId,
      turns,
      tokens: { before: sum(turns, 'before'), after: sum(turns, 'after') },
      opened,
      closed,
      balance: harmOf(closed) - harmOf(opened),
      summarized: this.#refold.summarized,
      kept: this.#refold.kept,
    }
  }
}

const sum = (turns: readonly OtherTurn[], side: 'before' | 'after'): number =>
  turns.reduce((all, { tokens }) => all + tokens[side], 0)

const harmOf = (spots: readonly Spot[]): number => spots.reduce((all, { score }) => all + score, 0)

/** What was missed is compared by name, since the same name may stand on another line; a line without names by its place. */
const keysOf = ({ turn, seq, line, names }: Spot): string[] =>
  names.length > 0 ? names.map((name) => `${turn} ${name.toLowerCase()}`) : [`${turn} #${seq}:${line}`]

/** Spots of one side whose names the other side did not miss. */
function without(decisions: readonly BlindDecision[], others: readonly BlindDecision[]): Spot[] {
  const known = new Set(others.flatMap(({ spots }) => spots.flatMap(keysOf)))
  return decisions.flatMap(({ spots }) => spots.filter((spot) => keysOf(spot).some((key) => !known.has(key))))
}
