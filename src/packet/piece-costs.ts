import type { Measure } from './measure.ts'
import { type Named, namedIn } from './named.ts'
import { type Notes, subjectOf } from './notes.ts'
import { specificNames } from './terms.ts'
import { isNumber } from './worth.ts'

/** The parts of notes that can be shown, and what each adds to a text. */
export interface Costs {
  readonly notes: Notes
  readonly named: Named
  readonly headNames: readonly string[]
  readonly head: number
  /** When notes on the same subject are shown above. */
  readonly underHead: number
  readonly lines: readonly number[]
  readonly namesRow: number
  readonly names: ReadonlyMap<
    string,
    { readonly text: string; readonly names: readonly string[]; readonly cost: number }
  >
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
  const subject = subjectOf(key)
  const empty = { about: notes.about, lines: [] }
  const names = new Map<string, { text: string; names: readonly string[]; cost: number }>()
  for (const [name, { written, line }] of named.byName) {
    if (isNumber(name)) continue
    const text = line > 0 ? `${line} ${written}` : written
    names.set(name, { text, names: specificNames(text), cost: cost({ in: 'name', name: text }) })
  }
  for (const written of notes.names ?? []) {
    const own = specificNames(written)
    const [first] = own
    if (first !== undefined)
      names.set(first, { text: written, names: own, cost: cost({ in: 'name', name: written }) })
  }
  return {
    notes,
    named,
    headNames: [...specificNames(subject), ...(key === subject ? named.about : [])],
    head: cost({ in: 'knowledge', key, value: empty, source_turn: 0 }) + 1,
    underHead: cost({ in: 'knowledge', key, value: empty, source_turn: 0, under: true }) + 1,
    lines: notes.lines.map(([line, text]) => cost({ in: 'line', line, text }) + 1),
    namesRow: 4,
    names,
  }
}
