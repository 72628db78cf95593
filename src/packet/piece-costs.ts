import { specificNames } from '../text/names.ts'
import { isNumber } from './facts.ts'
import type { Measure } from './measure.ts'
import { type Named, namedIn } from './named.ts'
import type { Notes } from './notes.ts'

/** A bare name as it is written, what it says, and the lines that it stands in. */
export interface NameCost {
  readonly text: string
  readonly names: readonly string[]
  readonly cost: number
  readonly on: readonly number[]
}

const LINES_OFFERED_MAX = 6

/** The parts of notes that can be shown, and what each adds to a text. */
export interface Costs {
  readonly notes: Notes
  readonly named: Named
  readonly headNames: readonly string[]
  readonly head: number
  /** When notes on the same subject stand above. */
  readonly underHead: number
  readonly lines: readonly number[]
  readonly namesRow: number
  readonly names: ReadonlyMap<string, NameCost>
}

const caches = new WeakMap<Measure, WeakMap<Notes, Costs>>()

/** Counted once for each value: most notes are looked at in every turn. */
export function costsOf(measure: Measure, key: string, notes: Notes): Costs {
  let cache = caches.get(measure)
  if (!cache) {
    cache = new WeakMap()
    caches.set(measure, cache)
  }
  let costs = cache.get(notes)
  if (!costs) {
    costs = count(measure, key, notes)
    cache.set(notes, costs)
  }
  return costs
}

function count(measure: Measure, key: string, notes: Notes): Costs {
  const cost = (piece: Parameters<Measure['piece']>[0]): number => measure.tokens(measure.piece(piece))
  const named = namedIn(key, notes)
  const under = notes.lines.every(([line]) => line > 0) ? 'lines' : 'subject'
  const empty = { about: notes.about, lines: [] }
  const head = measure.piece({ in: 'knowledge', key, value: empty, source_turn: 0 })
  const names = new Map<string, NameCost>()
  for (const [name, { written, on }] of named.byName) {
    if (isNumber(name)) continue
    const numbers = on.slice(0, LINES_OFFERED_MAX).map((at) => notes.lines[at]?.[0] ?? 0)
    names.set(name, {
      text: written,
      names: specificNames(written),
      cost: cost({ in: 'name', name: written }),
      on: numbers.filter((line) => line > 9),
    })
  }
  for (const written of notes.names ?? []) {
    const own = specificNames(written)
    const said = own.length > 0 ? own : [written.toLowerCase()]
    const [first = ''] = said
    names.set(first, { text: written, names: said, cost: cost({ in: 'name', name: written }), on: [] })
  }
  return {
    notes,
    named,
    headNames: specificNames(head),
    head: measure.tokens(head) + 1,
    underHead: cost({ in: 'knowledge', key, value: empty, source_turn: 0, under }) + 1,
    lines: notes.lines.map(([line, text]) => cost({ in: 'line', line, text }) + 1),
    namesRow: 4,
    names,
  }
}
