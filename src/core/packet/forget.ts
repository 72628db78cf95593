import { canonical } from '../event/json.ts'
import { cap } from './caps.ts'
import type { Action, Fact, FileText, Region, State, Words } from './state.ts'

/** Keeps what an event changed of the state within its caps: what is oldest goes first. */
export function forget(state: State, before: State): State {
  const { settings } = state
  let kept = state
  const put = <K extends 'actions' | 'files' | 'person' | 'thoughts'>(field: K, value: State[K]): void => {
    if (value !== state[field]) kept = { ...kept, [field]: value }
  }
  if (state.actions !== before.actions) {
    put('actions', withinOutputs(state.actions, cap(settings, 'outputs_total_chars')))
    kept = forgetActions(kept)
  }
  if (state.files !== before.files) put('files', withinFiles(state.files, cap(settings, 'files_total_chars')))
  if (state.person !== before.person)
    put('person', lastWords(state.person, cap(settings, 'person_total_chars')))
  if (state.thoughts !== before.thoughts)
    put('thoughts', lastWords(state.thoughts, cap(settings, 'thoughts_total_chars')))
  return state.knowledge === before.knowledge ? kept : forgetFacts(kept)
}

function forgetActions(state: State): State {
  const kept = cap(state.settings, 'kept_actions')
  if (state.actions.length <= kept) return state
  const gone = state.actions.slice(0, state.actions.length - kept)
  const first = state.forgotten?.first ?? gone[0]?.ref ?? 0
  return {
    ...state,
    actions: state.actions.slice(-kept),
    forgotten: {
      count: (state.forgotten?.count ?? 0) + gone.length,
      first,
      last: gone.at(-1)?.ref ?? first,
    },
  }
}

/** The outputs of the newest actions stay; older ones keep their summary. */
function withinOutputs(actions: readonly Action[], max: number): readonly Action[] {
  let left = max
  for (let at = actions.length - 1; at >= 0; at--) {
    const { length } = actions[at]?.output ?? ''
    left -= length
    if (length > 0 && left < 0)
      return actions.map((action, index) =>
        index > at || action.output === '' ? action : { ...action, output: '', highlights: [] },
      )
  }
  return actions
}

/** The files touched last stay; of one file that is too large by itself, its newest regions. */
function withinFiles(files: State['files'], max: number): State['files'] {
  let left = max
  const kept: [string, FileText][] = []
  for (const [path, file] of Object.entries(files).reverse()) {
    const size = charsOf(file)
    if (size <= left) kept.push([path, file])
    else if (kept.length === 0) kept.push([path, newestRegions(file, left)])
    else break
    left -= size
  }
  return kept.length === Object.keys(files).length && left >= 0 ? files : Object.fromEntries(kept.reverse())
}

function newestRegions(file: FileText, max: number): FileText {
  let left = max
  const kept = new Set<Region>()
  for (const region of file.regions.toSorted((a, b) => b.ref - a.ref)) {
    left -= charsIn(region.lines)
    if (left < 0) break
    kept.add(region)
  }
  return { ...file, regions: file.regions.filter((region) => kept.has(region)) }
}

const charsIn = (lines: readonly string[]): number => {
  let chars = 0
  for (const line of lines) chars += line.length + 1
  return chars
}

const charsOf = ({ path, regions }: FileText): number => {
  let chars = path.length
  for (const { lines } of regions) chars += charsIn(lines)
  return chars
}

function lastWords(words: readonly Words[], max: number): readonly Words[] {
  let left = max
  let from = words.length
  while (from > 0 && left >= 0) left -= words[--from]?.value.length ?? 0
  // The newest stays whatever its length.
  return left >= 0 ? words : words.slice(Math.min(from + 1, words.length - 1))
}

/** What a person or the definition stated stays longest. */
function forgetFacts(state: State): State {
  const entriesMax = cap(state.settings, 'knowledge_entries')
  const charsMax = cap(state.settings, 'knowledge_total_chars')
  const entries = Object.entries(state.knowledge)
  let chars = 0
  for (const entry of entries) chars += sizeOf(entry)
  if (entries.length <= entriesMax && chars <= charsMax) return state
  const gone = new Set<string>()
  const pinned = ([, { from }]: [string, Fact]): number =>
    from === 'person' || from === 'definition' ? 1 : 0
  for (const entry of entries.toSorted((a, b) => pinned(a) - pinned(b) || a[1].ref - b[1].ref)) {
    if (entries.length - gone.size <= entriesMax && chars <= charsMax) break
    gone.add(entry[0])
    chars -= sizeOf(entry)
  }
  return {
    ...state,
    knowledge: Object.fromEntries(entries.filter(([key]) => !gone.has(key))),
    knowledge_forgotten: state.knowledge_forgotten + gone.size,
  }
}

const sizeOf = ([key, { value }]: [string, Fact]): number =>
  key.length + (typeof value === 'string' ? value : canonical(value)).length
