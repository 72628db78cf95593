import { canonical, type Json } from '../../event/json.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Fact, Sourced } from '../../packet/state.ts'
import { costOf, firstThatFit, WORDS } from './fit.ts'
import { type Desk, needOf, type Part, spoken, TITLE_TOKENS, textFitter } from './part.ts'

/** The latest words of a person whole, older ones by what they begin with. */
export function wordsPart(desk: Desk, weight: number): Part {
  const person = desk.state.person.map((words) => ({ words, fit: textFitter(words.value, desk, [], WORDS) }))
  const need = person.reduce((sum, { words }) => sum + needOf(words.value, desk), 0)
  return {
    weight,
    need,
    show(tokens, packet) {
      const shown: Packet['person'] = []
      let left = tokens
      for (const { words, fit } of person.toReversed()) {
        const most = shown.length === 0 || tokens >= need ? left : left >> 1
        const text = fit(most)
        if (text === '') break
        left -= needOf(text, desk)
        shown.unshift(spoken(words, text))
      }
      return { ...packet, person: shown }
    },
  }
}

export function textPart(
  desk: Desk,
  weight: number,
  source: Sourced<string> | null,
  put: (text: string) => Partial<Packet>,
): Part {
  const text = source?.value ?? ''
  const fit = textFitter(text, desk)
  return {
    weight,
    need: needOf(text, desk),
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
  const { focus } = desk.state
  if (!focus) return { weight, need: 0, show: (_, packet) => packet }
  const { ref, value } = focus
  const head = costOf(value.place, desk.count)
  const fit = textFitter(value.text, desk)
  return {
    weight,
    need: needOf(value.text, desk) + head,
    show(tokens, packet) {
      const text = fit(tokens - head)
      return text === '' ? packet : { ...packet, focus: { ref, place: value.place, text } }
    },
  }
}
