import { cutMiddle } from '../../text/cut.ts'
import { cap } from '../packet/caps.ts'
import type { Packet } from '../packet/packet.ts'
import type {
  Attempt,
  ChangedFile,
  Fact,
  KeptConclusion,
  Origin,
  Sourced,
  State,
  Words,
} from '../packet/state.ts'
import { cutter, GOAL, joinRuns, type Text, WORDS } from './cut.ts'
import type { Reader } from './reader.ts'
import { type Desk, escaped, type Item } from './row.ts'

const at = (ref: number, field: string): Origin => ({ seq: ref, field })
/** The number that an entry has of its event stands in the event's header. */
const HEADER = new Map([
  ['ref', '/seq'],
  ['turn', '/turn'],
  ['source_turn', '/turn'],
])

/** Something of one event: what of its entry does not stand in the header is in a field, and under it where that ends so. */
export const item = <Entry>(
  ref: number,
  field: string,
  entry: (text: string) => Entry,
  text?: string,
  key = ref,
): Item<Entry> => ({
  key,
  add: (_, shown) => entry(shown),
  originsOf: (path) => {
    const under = field.endsWith('/') ? path.map(escaped).join('/') : ''
    return [at(ref, HEADER.get(path.at(-1) ?? '') ?? field + under)]
  },
  ...(text === undefined ? {} : { text: words(text) }),
})

const words = (text: string): Text => ({ lines: text.split('\n'), kind: WORDS })

type Said = Packet['person'][number]

const SAID_CHARS = 360

/** What people said: the last words first, then the first ones, then the others. */
export function personItems({ state: { person } }: Desk): Item<Said>[] {
  const newest = person.toReversed()
  return saidItems([...newest.slice(0, 1), ...newest.slice(1).slice(-1), ...newest.slice(1, -1)])
}

/** What the model told people, the newest first. */
export const toldItems = ({ state }: Desk): Item<Said>[] => saidItems(answersIn(state).reverse())

/** The model's words that a person answered: after them it waited and called nothing. */
export function answersIn({ thoughts, person, actions }: State): Words[] {
  let [heard, done] = [0, 0]
  return thoughts.filter(({ ref }, at) => {
    while ((person[heard]?.ref ?? ref) < ref) heard++
    while ((actions[done]?.called ?? ref) < ref) done++
    const next = Math.min(thoughts[at + 1]?.ref ?? Infinity, actions[done]?.called ?? Infinity)
    return (person[heard]?.ref ?? Infinity) < next
  })
}

/** Each in short before one is whole, so that a long one hides none. */
function saidItems(all: readonly Words[]): Item<Said>[] {
  const short = all.map(({ ref, turn, value }) =>
    item(ref, '/data/text', () => ({ turn, text: cutMiddle(value, SAID_CHARS), ref })),
  )
  const whole = all
    .filter(({ value }) => value.length > SAID_CHARS)
    .map(({ ref, value }): Item<Said> => {
      const add = (entry: Said | undefined, text: string) =>
        entry && text.length > entry.text.length ? { ...entry, text } : entry
      return { ...item(ref, '/data/text', (text): Said => ({ turn: 0, text, ref }), value), head: 0, add }
    })
  return [...short, ...whole]
}

type Changed = Packet['changed'][number]

const ROOT_FILES_MIN = 3
/** Shorter ones, such as the root of all, save little and stand inside other paths. */
const ROOT_CHARS_MIN = 8

/** The folder that most of the changed files are in, as deep as saves most, with its last slash; none where that is little. */
export function rootOf({ files, changed }: State): string {
  const absolute = (all: readonly string[]) => all.filter((path) => /^(?:[/\\]|[A-Za-z]:)/.test(path))
  const own = absolute(changed.map(({ value }) => value))
  // What was only read may lie anywhere.
  const paths = own.length >= ROOT_FILES_MIN ? own : absolute([...new Set([...Object.keys(files), ...own])])
  const folders = new Map<string, number>()
  for (const path of paths)
    for (const { index } of path.matchAll(/[/\\](?=[^/\\]+[/\\])/g)) {
      const folder = path.slice(0, index + 1)
      folders.set(folder, (folders.get(folder) ?? 0) + 1)
    }
  // Where most files are counts more than what its name would take.
  const saved = ([folder, count]: readonly [string, number]): number => folder.length * count ** 3
  const shared = [...folders].filter(
    ([folder, count]) => folder.length >= ROOT_CHARS_MIN && count >= ROOT_FILES_MIN,
  )
  return shared.reduce((a, b) => (saved(b) > saved(a) ? b : a), ['', 0])[0]
}

/** How many lines, and what in them: `+3 −1 in total, apply`. */
function whatOf({ added, removed, names, restored }: ChangedFile): string {
  if (restored) return 'restored, as it was before'
  const lines = `${added > 0 ? `+${added} ` : ''}${removed > 0 ? `−${removed} ` : ''}`
  return `${lines}${names.length > 0 ? `in ${names.join(', ')}` : ''}`.trim()
}

const LAST_CHANGED = 3
/** One for so many tokens of the limit, as a power of two, is told before what was said of them. */
const FILES_FIRST_SHIFT = 8

/** The last files that were changed, those of which most was, and what was said of their changes; then the others. */
export function changeItems({ state: { changed }, root, limit }: Desk): Item<Changed>[] {
  const last = new Set(changed.slice(-LAST_CHANGED))
  // Of what a command wrote in an unknown way only its name is known.
  const rank = (file: ChangedFile): number =>
    (file.added + file.removed + file.said.length > 0 ? 2 : 0) + (last.has(file) ? 1 : 0)
  const ranked = changed
    .toSorted((a, b) => b.added + b.removed - (a.added + a.removed))
    .sort((a, b) => rank(b) - rank(a))
  const heard = new Set<string>()
  const first = limit >> FILES_FIRST_SHIFT
  // Several may be changed by one event.
  const keyOf = (file: ChangedFile): number => changed.indexOf(file)
  return [ranked.slice(0, first), ranked.slice(first)].flatMap((files) => [
    ...files.map((file) => fileItem(file, root, keyOf(file))),
    ...remarksOn(files, heard, keyOf),
  ])
}

export const withoutRoot = (path: string, root: string): string =>
  path.startsWith(root) ? path.slice(root.length) : path

function fileItem(file: ChangedFile, root: string, key: number): Item<Changed> {
  const { ref, value, said } = file
  const what = whatOf(file)
  const path = withoutRoot(value, root)
  return {
    ...item(ref, '/delta/change_files', () => ({ path, what, said: [], ref }), undefined, key),
    originsOf: ([field, index], { said: shown }) => {
      const one = field === 'said' && said.find((remark) => remark.value === shown[Number(index)])
      if (one) return [at(one.ref, '/delta/change_files')]
      if (field === 'what') return [{ ...at(ref, '/delta/change_files'), counted: true }]
      return [at(ref, field === 'ref' ? '/seq' : '/delta/change_files')]
    },
  }
}

/** The newest of each file first; what was said of several only once. */
function remarksOn(
  files: readonly ChangedFile[],
  heard: Set<string>,
  keyOf: (file: ChangedFile) => number,
): Item<Changed>[] {
  const rounds = Math.max(0, ...files.map(({ said }) => said.length))
  return Array.from({ length: rounds }, (_, ago) =>
    files.flatMap((file): Item<Changed>[] => {
      const one = file.said.at(-1 - ago)
      if (!one || heard.has(one.value)) return []
      heard.add(one.value)
      const add = (entry?: Changed) => entry && { ...entry, said: [one.value, ...entry.said] }
      return [{ key: keyOf(file), head: one.value, add, originsOf: () => [] }]
    }),
  ).flat()
}

const PARTS = 3

/** The best of each part of the run in turn, the newest part first. */
function spread<T extends { readonly ref: number }>(all: readonly T[], scoreOf: (one: T) => number): T[] {
  const size = Math.ceil(all.length / PARTS)
  const parts = Array.from({ length: PARTS }, (_, part) =>
    all.slice(part * size, (part + 1) * size).sort((a, b) => scoreOf(b) - scoreOf(a) || b.ref - a.ref),
  ).reverse()
  return Array.from({ length: size }, (_, at) => parts.flatMap((part) => part[at] ?? [])).flat()
}

/** What says most, from all of the run; what was said last stands in the steps. */
export function findingsByWorth({ conclusions, thoughts }: State): readonly KeptConclusion[] {
  const last = thoughts.at(-1)?.ref
  const isLast = ({ ref }: KeptConclusion): number => (ref === last ? 1 : 0)
  return spread(conclusions, ({ score }) => score).sort((a, b) => isLast(a) - isLast(b))
}

const ATTEMPT_CHARS = 120
const WHY_CHARS = 130

/** What failed before a tool says more than that the model thought so; each first in short, then in full. */
export function attemptItems({ failed_attempts }: State): Item<string>[] {
  const told = new Set(failed_attempts.map(({ why }) => why?.value))
  const best = spread(
    failed_attempts.filter(({ value }) => !told.has(value)),
    ({ from, why, later }) => (from === 'tool' ? 2 : 0) + (why ? 2 : 0) + (later ? 1 : 0),
  )
  const lines = best.map((one, order) => {
    const { ref, value, why, later } = one
    const short = attemptLine(one, cutMiddle(value, ATTEMPT_CHARS), cutMiddle(why?.value ?? '', WHY_CHARS))
    const whole = attemptLine(one, value, why?.value ?? '', later)
    const origins: Origin[] = [
      { seq: ref, field: '/delta/add_failed_attempt', part: value },
      ...[why, later].flatMap((more) =>
        more ? [{ seq: more.ref, field: '/delta/explain_attempts', part: more.value }] : [],
      ),
    ]
    const key = ref * 64 + 63 - order
    const originsOf = () => origins
    return [
      { key, add: () => short, originsOf },
      { key, add: (entry?: string) => entry && whole, head: whole.slice(short.length), originsOf },
    ] as const
  })
  return [...lines.map(([short]) => short), ...lines.map(([, whole]) => whole)]
}

function attemptLine({ ref }: Attempt, value: string, why: string, later?: Attempt['later']): string {
  const told = [
    value,
    why === '' ? '' : `because: ${why}`,
    later ? `later: ${later.value} (#${later.ref})` : '',
  ]
  return `${told.filter((part) => part !== '').join('; ')} (#${ref})`
}

/** What a person or the definition stated is told first, then what was learned last. */
const rankOf = ({ from, ref }: Fact): number =>
  (from === 'person' || from === 'definition' ? 1_000_000_000 : 0) + ref

export function factItems({ knowledge, changed }: State): Item<[string, Packet['knowledge'][string]]>[] {
  const last = changed.at(-1)?.ref ?? 0
  return [...Object.entries(knowledge).entries()]
    .sort(([, [, a]], [, [, b]]) => rankOf(b) - rankOf(a))
    .map(([key, [name, { ref, value, source_turn, from }]]) => {
      const stale = from === 'tool' && ref < last ? last : null
      return {
        key,
        add: () => [name, { value, source_turn, stale }],
        originsOf: ([, part = '', ...rest]) => {
          const under = [name, ...rest].map(escaped).join('/')
          if (part === 'stale') return [at(last, '/seq')]
          return [at(ref, HEADER.get(part) ?? `/delta/update_knowledge/${under}`)]
        },
      }
    })
}

/** A problem may be gone once its file was changed. */
export function withChange({ value, ref }: Sourced<string>, { changed }: State): string {
  const later = changed.find(
    (file) => file.ref > ref && value.includes(file.value.split(/[\\/]/).at(-1) ?? file.value),
  )
  return later ? `${value} (the file was changed since, #${later.ref})` : value
}

/** Whether an output says an error, or what that quotes. */
export function saysError(error: string, output: string): boolean {
  const [, quote] = /"(.+?)…?"$/.exec(error) ?? []
  return output.includes(quote ?? error)
}

export const goalOf = ({ goal }: State): Text => ({ lines: goal.value.split('\n'), kind: GOAL })

/** What stands of the goal in any case: all of it, unless the run was told to make do with less. */
export function goalText(state: State, { costOfLine }: Reader): string {
  const text = goalOf(state)
  const fit = cutter(text, costOfLine, () => 0)
  return joinRuns(fit(cap(state.settings, 'goal_tokens')), text.lines.length)
}
