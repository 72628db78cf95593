import { specificNames, writtenNames } from '../text/names.ts'
import type { Notes } from './notes.ts'

/** What is known of one name within one piece of notes. */
export interface NamedOnce {
  readonly written: string
  readonly lines: number
  readonly defined: boolean
  /** The lines, by index, that it stands in. */
  readonly on: readonly number[]
  /** Where it first stands, 0 to 1. */
  readonly at: number
}

/** What notes hold, by name; made once for each value, since values never change. */
export interface Named {
  readonly about: readonly string[]
  readonly lines: readonly (readonly string[])[]
  readonly byName: ReadonlyMap<string, NamedOnce>
}

const cache = new WeakMap<object, Named>()

export function namedIn(key: string, notes: Notes): Named {
  let named = cache.get(notes)
  if (!named) {
    named = read(key, notes)
    cache.set(notes, named)
  }
  return named
}

function read(key: string, notes: Notes): Named {
  const byName = new Map<
    string,
    { written: string; lines: number; defined: boolean; on: number[]; at: number }
  >()
  const count = notes.lines.length + (notes.names?.length ?? 0)
  const add = (text: string, at: number, defined: boolean, listed = false): string[] => {
    const names: string[] = []
    for (const [name, written] of writtenIn(text, listed)) {
      names.push(name)
      const known = byName.get(name)
      if (known) {
        known.lines++
        known.defined ||= defined
        if (at >= 0) known.on.push(at)
      } else {
        const place = count > 1 ? Math.max(0, at) / (count - 1) : 0
        byName.set(name, {
          written,
          lines: 1,
          defined,
          on: at < 0 ? [] : [at],
          at: place,
        })
      }
    }
    return names
  }
  add(key, -1, false)
  const about = specificNames(notes.about)
  add(notes.about, -1, false)
  const lines = notes.lines.map(([line, text], at) =>
    add(line > 9 ? `${line} ${text}` : text, at, isDefinition(text)),
  )
  for (const [at, name] of (notes.names ?? []).entries()) add(name, notes.lines.length + at, false, true)
  return { about, lines, byName }
}

/** A name that was listed as such counts however plain it is: `Makefile`. */
function writtenIn(text: string, listed: boolean): ReadonlyMap<string, string> {
  const names = writtenNames(text)
  return listed && names.size === 0 ? new Map([[text.toLowerCase(), text]]) : names
}

const DEFINING = new Set(
  `def class function func fn interface type const struct enum trait impl module package import from export async
   public private protected static pub abstract`.split(/\s+/),
)

/** Whether a line defines something: its names are likelier to be used than those it mentions. */
export function isDefinition(text: string): boolean {
  const trimmed = text.trimStart()
  const end = trimmed.indexOf(' ')
  return end > 0 && DEFINING.has(trimmed.slice(0, end))
}
