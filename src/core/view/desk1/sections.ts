import { canonical, type Json } from '../../event/json.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Fact, Sourced, Words } from '../../packet/state.ts'
import { costOf, firstThatFit, WORDS } from './fit.ts'
import { type Desk, needOf, type Part, TITLE_TOKENS, textFitter } from './part.ts'

/** What was said, from the newest back while there is room. */
export function wordsPart(
  desk: Desk,
  weight: number,
  words: readonly Words[],
  fitted: (words: Words, tokens: number) => string,
  put: (said: Packet['person'], packet: Packet) => Partial<Packet>,
): Part {
  return {
    weight,
    need: words.reduce((sum, { value }) => sum + needOf(value, desk), 0),
    show(tokens, packet) {
      const said: Packet['person'] = []
      let left = tokens
      for (const one of words.toReversed()) {
        const text = fitted(one, left)
        if (text === '') break
        left -= needOf(text, desk)
        said.unshift({ turn: one.turn, text, ref: one.ref })
      }
      return { ...packet, ...put(said, packet) }
    },
  }
}

/** The latest words of a person whole, older ones by what they begin with. */
export const personPart = (desk: Desk, weight: number): Part =>
  wordsPart(
    desk,
    weight,
    desk.state.person,
    ({ value }, tokens) => textFitter(value, desk, [], WORDS)(tokens),
    (person) => ({ person }),
  )

export function textPart(
  desk: Desk,
  weight: number,
  text: string | undefined,
  put: (text: string) => Partial<Packet>,
): Part {
  const fit = textFitter(text ?? '', desk)
  return {
    weight,
    need: needOf(text ?? '', desk),
    show: (tokens, packet) => {
      const shown = fit(tokens)
      return shown === '' ? packet : { ...packet, ...put(shown) }
    },
  }
}

/** Items in their order, as many as fit; those of the lowest rank first where not all do. */
function listPart<T>(
  { count }: Desk,
  weight: number,
  items: readonly T[],
  textOf: (item: T) => string,
  put: (items: readonly T[]) => Partial<Packet>,
  rank: (item: T, at: number) => number = (_, at) => at,
): Part {
  const cost = (item: T): number => costOf(textOf(item), count) + 2
  const ranks = new Map(items.map((item, at) => [item, rank(item, at)]))
  const byRank = items.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
  return {
    weight,
    need: items.length === 0 ? 0 : items.reduce((sum, item) => sum + cost(item), TITLE_TOKENS),
    show(tokens, packet) {
      const kept = new Set(firstThatFit(byRank, tokens - TITLE_TOKENS, cost))
      return kept.size === 0 ? packet : { ...packet, ...put(items.filter((item) => kept.has(item))) }
    },
  }
}

const lineOf = ({ value }: Sourced<string>): string => value
const pairText = ([name, value]: readonly [string, Json]): string =>
  `${name}: ${typeof value === 'string' ? value : canonical(value)}`

export const linesPart = (
  desk: Desk,
  weight: number,
  lines: readonly Sourced<string>[],
  put: (lines: string[]) => Partial<Packet>,
): Part => listPart(desk, weight, lines, lineOf, (shown) => put(shown.map(lineOf)))

export const candidatesPart = (desk: Desk, weight: number): Part =>
  listPart(
    desk,
    weight,
    desk.state.candidates?.value ?? [],
    ({ tool, args, reason }) => `${tool} ${canonical(args)}: ${reason}`,
    (candidates) => ({ candidate_actions: [...candidates] }),
  )

/** The files that this run changed, the last of them where not all fit. */
export const changedPart = (desk: Desk, weight: number): Part =>
  listPart(
    desk,
    weight,
    desk.state.changed,
    lineOf,
    (files) => ({ changed: files.map(({ value, ref }) => ({ path: value, ref })) }),
    ({ ref }) => -ref,
  )

/** Open items of the plan before done ones. */
export const planPart = (desk: Desk, weight: number): Part =>
  listPart(
    desk,
    weight,
    desk.state.plan,
    ({ text }) => text,
    (items) => ({ plan: items.map(({ text, status, ref }) => ({ text, status, ref })) }),
    ({ status }) => ['active', 'open', 'done', 'dropped'].indexOf(status),
  )

/** More than any ref. */
const STATED = 1_000_000_000

/** Facts from the newest back; what a person or the definition stated goes first. */
export function factsPart(desk: Desk, weight: number): Part {
  const { knowledge, changed } = desk.state
  const lastChange = changed.at(-1)?.ref ?? 0
  const stale = ({ from, ref }: Fact): number | null =>
    from === 'tool' && ref < lastChange ? lastChange : null
  return listPart(
    desk,
    weight,
    Object.entries(knowledge),
    ([key, { value }]) => pairText([key, value]),
    (facts) => ({
      knowledge: Object.fromEntries(
        facts.map(([key, fact]) => [
          key,
          { value: fact.value, source_turn: fact.source_turn, stale: stale(fact) },
        ]),
      ),
    }),
    ([, { from, ref }]) => (from === 'person' || from === 'definition' ? -STATED : 0) - ref,
  )
}

export function hubPart(desk: Desk, weight: number): Part {
  const { context = {}, freshness = '' } = desk.state.hub?.value ?? {}
  return listPart(desk, weight, Object.entries(context), pairText, (entries) => ({
    hub_context: Object.fromEntries(entries),
    hub_freshness: freshness,
  }))
}

/** Each extension is shown whole or not at all; its weight follows from the share that it was registered with. */
export function extensionParts({ state, count }: Desk): Part[] {
  return Object.entries(state.extensions).map(([name, { value }]) => {
    const need = costOf(pairText([name, value]), count) + TITLE_TOKENS + 2
    return {
      weight: Math.max(1, Math.round((state.settings.extensions[name]?.share ?? 0) * 1000)),
      need,
      show: (tokens, packet) =>
        tokens < need ? packet : { ...packet, extensions: { ...packet.extensions, [name]: value } },
    }
  })
}

export function focusPart(desk: Desk, weight: number): Part {
  const { ref = 0, value } = desk.state.focus ?? {}
  const place = value?.place ?? ''
  const head = costOf(place, desk.count)
  const part = textPart(desk, weight, value?.text, (text) => ({ focus: { ref, place, text } }))
  return {
    ...part,
    need: part.need && part.need + head,
    show: (tokens, packet) => part.show(tokens - head, packet),
  }
}
