import { canonical, type Json } from '../../event/json.ts'
import type { Packet } from '../../packet/packet.ts'
import type { Sourced, State } from '../../packet/state.ts'
import type { Count } from '../view.ts'
import { allocate } from './allocate.ts'
import { earlierPart } from './earlier.ts'
import { filesParts } from './files.ts'
import { costOf, firstThatFit, WORDS } from './fit.ts'
import { interestOf } from './interest.ts'
import { type Desk, needOf, type Part, spoken, TITLE_TOKENS, textFitter } from './part.ts'
import { placesPart } from './places.ts'
import { stepParts } from './steps.ts'

/** The sections of a packet, with their weights. */
export function partsOf(state: State, count: Count, limit: number): Part[] {
  const desk: Desk = { state, count, limit, interest: interestOf(state) }
  return [
    wordsPart(desk, 250),
    textPart(desk, 40, state.node_summary, (text) => ({ node_summary: text })),
    textPart(desk, 60, state.state_summary, (text) => ({ state_summary: text })),
    textPart(desk, 60, state.last_error, (text) => ({ last_error: text })),
    planPart(desk, 150),
    linesPart(desk, 130, state.diagnostics, (diagnostics) => ({ diagnostics })),
    linesPart(desk, 25, state.failed_attempts, (failed_attempts) => ({ failed_attempts })),
    candidatesPart(desk, 150),
    changedPart(desk, 110),
    factsPart(desk, 30),
    hubPart(desk, 80),
    ...extensionParts(desk),
    focusPart(desk, 100),
    ...stepParts(desk),
    ...filesParts(desk),
    earlierPart(desk, 130),
    placesPart(desk, placesWeight(limit)),
  ]
}

/** A small packet has little left for what is not at hand. */
const placesWeight = (limit: number): number => Math.min(120, Math.floor((limit * 9) / 100))

/**
 * Divides a budget among the sections; what is spare goes to the one that can use little pieces of it. `whole` tells
 * that nothing had to be shortened or left out.
 */
export function fill(
  parts: readonly Part[],
  pinned: Packet,
  budget: number,
  spare = 0,
): { packet: Packet; whole: boolean } {
  const given = allocate(budget, parts)
  let packet = pinned
  for (const [at, part] of parts.entries())
    packet = part.show((given[at] ?? 0) + (part.takesSpare ? spare : 0), packet)
  return { packet, whole: parts.every(({ need }, at) => need <= (given[at] ?? 0)) }
}

/** The latest words of a person whole, older ones by what they begin with. */
function wordsPart(desk: Desk, weight: number): Part {
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

function textPart(
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

/** Open items before done ones where not all fit, in the order of the plan. */
function planPart(desk: Desk, weight: number): Part {
  const { plan } = desk.state
  const cost = (text: string) => costOf(text, desk.count) + 3
  return {
    weight,
    need: plan.length === 0 ? 0 : plan.reduce((sum, { text }) => sum + cost(text), TITLE_TOKENS),
    show(tokens, packet) {
      const rank = { active: 0, open: 1, done: 2, dropped: 3 }
      const first = [...plan.keys()].sort((a, b) => rank[statusOf(a)] - rank[statusOf(b)] || a - b)
      const kept = new Set(firstThatFit(first, tokens - TITLE_TOKENS, (at) => cost(plan[at]?.text ?? '')))
      const shown = plan.filter((_, at) => kept.has(at))
      return { ...packet, plan: shown.map(({ text, status, ref }) => ({ text, status, ref })) }
    },
  }
  function statusOf(at: number) {
    return plan[at]?.status ?? 'open'
  }
}

/** Lines in their order while they fit. */
function linesPart(
  { count }: Desk,
  weight: number,
  lines: readonly Sourced<string>[],
  put: (lines: string[]) => Partial<Packet>,
): Part {
  return {
    weight,
    need:
      lines.length === 0 ? 0 : lines.reduce((sum, { value }) => sum + costOf(value, count) + 1, TITLE_TOKENS),
    show(tokens, packet) {
      const shown = firstThatFit(lines, tokens - TITLE_TOKENS, ({ value }) => costOf(value, count) + 1)
      return { ...packet, ...put(shown.map(({ value }) => value)) }
    },
  }
}

/** The files that this run changed, the last of them where not all fit. */
function changedPart({ state, count }: Desk, weight: number): Part {
  const { changed } = state
  const cost = ({ value }: Sourced<string>) => costOf(value, count) + 1
  return {
    weight,
    need: changed.length === 0 ? 0 : changed.reduce((sum, path) => sum + cost(path), TITLE_TOKENS),
    show(tokens, packet) {
      const shown = firstThatFit(changed.toReversed(), tokens - TITLE_TOKENS, cost).reverse()
      return { ...packet, changed: shown.map(({ value, ref }) => ({ path: value, ref })) }
    },
  }
}

function candidatesPart({ state, count }: Desk, weight: number): Part {
  const candidates = state.candidates?.value ?? []
  const cost = ({ tool, args, reason }: (typeof candidates)[number]) =>
    costOf(`${tool} ${canonical(args)}: ${reason}`, count) + 2
  return {
    weight,
    need: candidates.reduce((sum, candidate) => sum + cost(candidate), 0),
    show(tokens, packet) {
      const shown = firstThatFit(candidates, tokens, cost)
      return { ...packet, candidate_actions: shown }
    },
  }
}

const pairCost = (name: string, value: Json, count: Count): number =>
  costOf(`${name}: ${typeof value === 'string' ? value : canonical(value)}`, count) + 2

/** Facts from the newest back while they fit; what a person or the definition stated goes first. */
function factsPart({ state, count }: Desk, weight: number): Part {
  const facts = Object.entries(state.knowledge)
  const stated = (from: string) => (from === 'person' || from === 'definition' ? 0 : 1)
  const lastChange = state.changed.at(-1)?.ref ?? 0
  return {
    weight,
    need: facts.reduce((sum, [key, { value }]) => sum + pairCost(key, value, count), 0),
    show(tokens, packet) {
      const order = facts.toSorted(([, a], [, b]) => stated(a.from) - stated(b.from) || b.ref - a.ref)
      const kept = new Set(
        firstThatFit(order, tokens, ([key, { value }]) => pairCost(key, value, count)).map(([key]) => key),
      )
      const shown = facts.filter(([key]) => kept.has(key))
      return {
        ...packet,
        knowledge: Object.fromEntries(
          shown.map(([key, { value, source_turn, from, ref }]) => [
            key,
            { value, source_turn, stale: from === 'tool' && ref < lastChange ? lastChange : null },
          ]),
        ),
      }
    },
  }
}

function hubPart({ state, count }: Desk, weight: number): Part {
  const { context = {}, freshness = '' } = state.hub?.value ?? {}
  const entries = Object.entries(context)
  return {
    weight,
    need: entries.reduce(
      (sum, [name, value]) => sum + pairCost(name, value, count),
      entries.length > 0 ? 12 : 0,
    ),
    show(tokens, packet) {
      const shown = firstThatFit(entries, tokens - 12, ([name, value]) => pairCost(name, value, count))
      if (shown.length === 0) return packet
      return { ...packet, hub_context: Object.fromEntries(shown), hub_freshness: freshness }
    },
  }
}

/** Each extension is shown whole or not at all; its weight follows from the share that it was registered with. */
function extensionParts({ state, count }: Desk): Part[] {
  return Object.entries(state.extensions).map(([name, { value }]) => {
    const need = pairCost(name, value, count) + TITLE_TOKENS
    return {
      weight: Math.max(1, Math.round((state.settings.extensions[name]?.share ?? 0) * 1000)),
      need,
      show: (tokens, packet) =>
        tokens < need ? packet : { ...packet, extensions: { ...packet.extensions, [name]: value } },
    }
  })
}

function focusPart(desk: Desk, weight: number): Part {
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
