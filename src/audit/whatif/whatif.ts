import type { Store } from '../../core/store/store.ts'
import { type Prompt, promptOf } from '../../core/view/prompt.ts'
import { TwotrackError } from '../../errors.ts'
import type { MemoryOptions } from '../../memory.ts'
import { registryOf } from '../../summarize/built-in.ts'
import type { BlindDecision, BlindSpots, Spot } from '../blindspots/spot.ts'
import { Walk } from '../blindspots/walk.ts'
import { assertTurn, type History, logSourceOf, readEvent, readerFor } from '../history.ts'
import { diffPackets } from '../packet-diff.ts'
import { type Difference, Refold } from './refold.ts'

export interface WhatIf {
  readonly agent_id: string
  /** The packets that the calls of each turn were, and would have been, chosen with. */
  readonly turns: readonly {
    readonly turn: number
    readonly tokens: { readonly before: number; readonly after: number }
    /** Leaves of the packet that differ. */
    readonly changes: number
    readonly opened: number
    readonly closed: number
  }[]
  /** Of all prompts together. */
  readonly tokens: { readonly before: number; readonly after: number }
  /** Blind spots that would be new, and those that would be gone; each with what it was needed for. */
  readonly opened: BlindSpots['spots']
  readonly closed: BlindSpots['spots']
  /** Harm of the ones gone less harm of the new ones: below 0, more is lost than won. */
  readonly balance: number
  readonly summarized: number
  /** Results that no summarizer could speak of: the tool's own words, or pruned output. */
  readonly kept: number
}

export type WhatIfOptions = Parameters<typeof whatIf>[2]

type OtherTurn = WhatIf['turns'][number]

/** The two packets of one turn as text. */
export interface OtherPackets extends Omit<OtherTurn, 'opened' | 'closed'> {
  readonly agent_id: string
  readonly packets: { readonly before: string; readonly after: string }
}

/** An old log folded with other summarizers, another limit or another view, beside itself. Nothing is written. */
export async function whatIf(
  store: Store,
  agentId: string,
  options: {
    /** Tokens of the packet. */
    readonly limit?: number
    /** Name of a view, perhaps with a rendering: `desk-1:json`. */
    readonly view?: string
    /** Who summarizes instead, as in `Memory.open`; before the built-in ones. An empty list: the built-in ones of today. */
    readonly summarizers?: NonNullable<MemoryOptions['summarizers']>
  },
): Promise<WhatIf> {
  const reader = await readerFor(agentId, await readEvent(store, agentId, 1))
  const refold = new Refold(store, differenceOf(options), reader)
  const recorded = logSourceOf(store, agentId)
  const paired: Omit<OtherTurn, 'opened' | 'closed'>[] = []
  let sent: Prompt | undefined
  const before = new Walk(recorded, (_turn, state) => {
    sent = promptOf(state, reader)
    return sent
  })
  // The same events lead both to the same decisions, one right after the other.
  const after = new Walk(refold.source(recorded), (turn, state) => {
    const prompt = promptOf(state, reader)
    if (sent) paired.push(pair(turn, sent, prompt))
    return prompt
  })
  for await (const event of store.read(agentId)) {
    await before.event(event)
    await after.event(await refold.event(event))
  }
  const [missed, wouldMiss] = [await before.end(), await after.end()]
  const opened = without(wouldMiss, missed)
  const closed = without(missed, wouldMiss)
  const turns = paired.map((turn) => ({
    ...turn,
    opened: opened.filter((spot) => spot.turn === turn.turn).length,
    closed: closed.filter((spot) => spot.turn === turn.turn).length,
  }))
  return {
    agent_id: agentId,
    turns,
    tokens: { before: tokensOn(turns, 'before'), after: tokensOn(turns, 'after') },
    opened,
    closed,
    balance: harmOf(closed) - harmOf(opened),
    summarized: refold.summarized,
    kept: refold.kept,
  }
}

/**
 * The packet that the calls of one turn were chosen with, beside what it would have been: the log is folded once more up
 * to there. Throws `missing`.
 */
export async function whatIfTurn(
  history: History,
  turn: number,
  options: WhatIfOptions,
): Promise<OtherPackets> {
  const { agent_id } = history
  assertTurn(agent_id, turn, history.lastTurn)
  const last = history.beforeCallsOf(turn)
  if (!last) throw new TwotrackError('missing', `No calls were chosen in turn ${turn} of "${agent_id}".`)
  const before = history.promptOf(history.after(last.seq))
  const after = await otherPrompt(history, last.seq, options)
  return {
    agent_id,
    ...pair(turn, before, after),
    packets: { before: before.body, after: after.body },
  }
}

export async function otherPrompt(history: History, seq: number, options: WhatIfOptions): Promise<Prompt> {
  const { agent_id, store, reader, events } = history
  const refold = new Refold(store, differenceOf(options), reader)
  // Other summarizers read raw output; without them the events that are here are enough.
  const recorded = options.summarizers ? store.read(agent_id, { to: seq }) : events.slice(0, seq)
  for await (const event of recorded) await refold.event(event)
  return promptOf(refold.state ?? history.after(seq), reader)
}

const differenceOf = ({ summarizers, ...settings }: WhatIfOptions): Difference => ({
  ...settings,
  ...(summarizers === undefined ? {} : { registry: registryOf(summarizers) }),
})

const pair = (turn: number, before: Prompt, after: Prompt) => ({
  turn,
  tokens: { before: before.tokens, after: after.tokens },
  changes: diffPackets(before.packet, after.packet).length,
})

const tokensOn = (turns: readonly OtherTurn[], side: 'before' | 'after'): number =>
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
