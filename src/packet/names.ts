import type { FileChange } from '../event/delta.ts'
import type { Event } from '../event/event.ts'
import { isDefinition } from '../text/definitions.ts'
import { isNumber, isSpecific, writtenNames } from '../text/names.ts'
import { isPath } from '../text/paths.ts'
import { cap } from './caps.ts'
import type { Named, State } from './state.ts'

/** What is read of a long text: names at both ends of an output are likelier to matter. */
const TEXT_CHARS_MAX = 4_000
const NAMES_PER_TEXT_MAX = 150

/** Adds the names of things that an event's call or output spoke of; the packet's index of places is made of them. */
export function learnNames(state: State, event: Event): State {
  const learned = namedBy(event).filter(({ names, defined }) => names.length + defined.length > 0)
  if (learned.length === 0) return state
  const names = [...state.names, ...learned]
  let names_held = learned.reduce((sum, batch) => sum + sizeOf(batch), state.names_held)
  let from = 0
  while (names_held > cap(state.settings, 'names') && from < names.length - 1)
    names_held -= sizeOf(names[from++])
  return { ...state, names: from === 0 ? names : names.slice(from), names_held }
}

const sizeOf = (batch: Named | undefined): number =>
  batch === undefined ? 0 : batch.names.length + batch.defined.length

/** What one event named; the index of places is made of these. */
export function namedBy(event: Event): Named[] {
  const { turn } = event
  if (event.type === 'tool_call')
    return [
      {
        turn,
        called: true,
        path: '',
        names: namesOf(valuesIn(event.data.args)),
        defined: [],
      },
    ]
  const files = (event.delta?.change_files ?? []).map((change) => namedInFile(change, turn))
  const outputs = (event.delta?.add_action ?? []).map(({ output = '' }) => ({
    turn,
    called: false,
    path: '',
    names: namesOf(output),
    defined: [],
  }))
  return [...files, ...outputs]
}

function namedInFile(change: FileChange, turn: number): Named {
  const text = change.kind === 'read' || change.kind === 'write' ? change.text : ''
  const from = change.kind === 'read' ? change.from : 1
  const defined: [number, string][] = []
  for (const [at, line] of text.split('\n').entries()) {
    const name = isDefinition(line) ? definedIn(line) : undefined
    if (name !== undefined) defined.push([from + at, name])
  }
  return { turn, called: false, path: change.path, names: namesOf(text), defined }
}

function namesOf(text: string): string[] {
  const names = new Set<string>()
  for (const [name, written] of writtenNames(bothEnds(text))) {
    if (isNumber(name) || !isTelling(written)) continue
    names.add(withoutLine(written))
    if (names.size === NAMES_PER_TEXT_MAX) break
  }
  return [...names]
}

/** `a.py:12:4` names a.py. */
const withoutLine = (written: string): string => written.replace(/(?::\d+)+$/, '')

/** The first name of a line that defines something is what it defines. */
const definedIn = (line: string): string | undefined => [...writtenNames(line).values()].find(isTelling)

/** Words that prose joins (`timed-out`, `before/after`) or stresses (`NOTE`) are not names of things. */
const isTelling = (written: string): boolean =>
  isSpecific(written) &&
  !/^(?:[A-Z]+|_+)$/.test(written) &&
  (isPath(written) || !/^[A-Za-z]+(?:[-/][A-Za-z]+)+$/.test(written))

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
