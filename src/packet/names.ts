import type { Event } from '../event/event.ts'
import { isDefinition } from '../text/definitions.ts'
import { isNumber, isSpecific, writtenNames } from '../text/names.ts'
import { isPath } from '../text/paths.ts'
import { cap } from './caps.ts'
import type { Name, State } from './state.ts'

/** What is read of a long text: names at both ends of an output are likelier to matter. */
const TEXT_CHARS_MAX = 12_000
const NAMES_PER_TEXT_MAX = 400

/**
 * Names of things that calls and outputs spoke of: files, functions, fields. The packet's index of places is made of
 * them. Each knows how often calls used it, how often outputs showed it, and where it was last seen.
 */
export function learnNames(state: State, event: Event): State {
  const learned = new Map<string, Learned>()
  const learn = (text: string, about: Partial<Learned>): void => {
    const found = [...writtenNames(bothEnds(text))].filter(
      ([name, written]) => !isNumber(name) && isTelling(written),
    )
    const crowd = found.length
    for (const [name, written] of found.slice(0, NAMES_PER_TEXT_MAX))
      if (!learned.has(name))
        learned.set(name, { written, crowd, called: false, path: '', line: 0, ...about })
  }
  if (event.type === 'tool_call') learn(valuesIn(event.data.args), { called: true })
  for (const change of event.delta?.change_files ?? []) {
    const text =
      change.kind === 'edit'
        ? change.after
        : change.kind === 'remove' || change.kind === 'touch'
          ? ''
          : change.text
    const from = change.kind === 'read' ? change.from : 1
    for (const [at, line] of bothEnds(text).split('\n').entries())
      if (isDefinition(line))
        learn(definedIn(line), { path: change.path, line: change.kind === 'edit' ? 0 : from + at })
    learn(text, { path: change.path })
  }
  for (const { output = '' } of event.delta?.add_action ?? []) learn(output, {})
  return learned.size === 0 ? state : { ...state, names: merged(state, learned, event.turn) }
}

interface Learned extends Pick<Name, 'written' | 'crowd' | 'path' | 'line'> {
  /** Whether a call used it; else an output showed it. */
  readonly called: boolean
}

function merged(
  { names, settings }: State,
  learned: ReadonlyMap<string, Learned>,
  turn: number,
): State['names'] {
  const all = new Map(Object.entries(names))
  for (const [name, { written, called, crowd, path, line }] of learned) {
    const before = all.get(name)
    // Deleting first keeps the order of last use, by which the oldest are forgotten.
    all.delete(name)
    all.set(name, {
      written: before?.written ?? written,
      calls: (before?.calls ?? 0) + (called ? 1 : 0),
      called: called ? turn : (before?.called ?? 0),
      seen: (before?.seen ?? 0) + (called ? 0 : 1),
      turn,
      crowd: called ? (before?.crowd ?? crowd) : crowd,
      path: path || (before?.path ?? ''),
      line: line || (before?.line ?? 0),
    })
  }
  const max = cap(settings, 'names')
  return Object.fromEntries(all.size <= max ? all : [...all].slice(all.size - max))
}

/** The first name of a line that defines something is what it defines. */
const definedIn = (line: string): string => [...writtenNames(line).values()].find(isTelling) ?? ''

/** Words that prose joins (`timed-out`, `before/after`) are not names of things. */
const isTelling = (written: string): boolean =>
  isSpecific(written) && (isPath(written) || !/^[A-Za-z]+(?:[-/][A-Za-z]+)+$/.test(written))

const bothEnds = (text: string): string =>
  text.length <= TEXT_CHARS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARS_MAX >> 1)}\n${text.slice(-(TEXT_CHARS_MAX >> 1))}`

/** The values of arguments as text; a parameter's name is not something the agent is about. */
export function valuesIn(args: unknown): string {
  if (typeof args === 'string') return args
  if (Array.isArray(args)) return args.map(valuesIn).join('\n')
  if (typeof args === 'object' && args !== null) return Object.values(args).map(valuesIn).join('\n')
  return args === null || args === undefined ? '' : String(args)
}
