import type { Packet } from '../packet/packet.ts'
import type { ChangedFile, Fact, State } from '../packet/state.ts'
import { THOUGHT } from './cut.ts'
import { item, originIn, prose } from './items.ts'
import type { Desk, Item } from './section.ts'

type Changed = Packet['changed'][number]

/** What the newest remark is taken to cost. */
const REMARK_TOKENS = 40

/** The files of which most was changed, the last ones before others; each with what was said of its changes, newest first. */
export function changeItems({ state: { changed } }: Desk): Item<Changed>[] {
  // Of what a command wrote in an unknown way only its name is known.
  const rank = ({ added, removed, said }: ChangedFile): number => added + removed + said.length
  const heard = new Set<string>()
  return changed
    .toReversed()
    .sort((a, b) => rank(b) - rank(a))
    .map((file) => {
      const { ref, value: path } = file
      // What was said of several is told once.
      const said = file.said.filter(({ value }) => !heard.has(value))
      for (const { value } of said) heard.add(value)
      const lines = said.map(({ value }) => value)
      const bare = { path, what: whatOf(file), said: lines.slice(-1), ref }
      return {
        // Several may be changed by one event.
        key: changed.indexOf(file),
        value: bare,
        texts: [
          {
            text: { lines, kind: THOUGHT },
            stands: REMARK_TOKENS,
            put: (_, __, runs) => ({ ...bare, said: runs.flatMap(({ text }) => text.split('\n')) }),
          },
        ],
        originsOf: (inside, shown) => {
          const [field = '', at] = inside
          const place = '/delta/change_files'
          if (field !== 'said') return [{ ...originIn(ref, place, inside), counted: field === 'what' }]
          const remark = said.find(({ value }) => value === shown.said[Number(at)])
          return [originIn(remark?.ref ?? ref, place, inside)]
        },
      }
    })
}

const NAMES_MAX = 6
const FATES = { restored: 'restored, as it was before', deleted: 'deleted' } as const

/** How many lines, and what in them: `+3 −1 in apply`. */
function whatOf({ added, removed, names, fate }: ChangedFile): string {
  if (fate) return FATES[fate]
  const lines = `${added > 0 ? `+${added} ` : ''}${removed > 0 ? `−${removed} ` : ''}`
  return `${lines}${names.length > 0 ? `in ${names.slice(0, NAMES_MAX).join(', ')}` : ''}`.trim()
}

const PARTS = 3

/** The best of each part of the run in turn, the newest part first. */
function spread<T extends { readonly ref: number }>(
  all: readonly T[],
  { turn, actions }: State,
  scoreOf: (one: T) => number,
): T[] {
  const end = (actions.at(-1)?.ref ?? turn) + 1
  const partOf = ({ ref }: T): number => Math.min(PARTS - 1, Math.floor((ref * PARTS) / end))
  const parts = Map.groupBy(
    all.toSorted((a, b) => scoreOf(b) - scoreOf(a) || b.ref - a.ref),
    partOf,
  )
  const newest = [...parts].sort(([a], [b]) => b - a).map(([, own]) => own)
  return all.flatMap((_, at) => newest.flatMap((part) => part[at] ?? []))
}

/** What says most, from all of the run; what was said last stands in the steps. */
export function findingItems({ state }: Desk): Item<Packet['conclusions'][number]>[] {
  const { conclusions, thoughts } = state
  const last = thoughts.at(-1)?.ref
  return spread(conclusions, state, ({ score }) => score)
    .sort((a, b) => Number(a.ref === last) - Number(b.ref === last))
    .map((one) =>
      item(one.ref, '/delta/add_conclusions', { text: one.value, ref: one.ref }, conclusions.indexOf(one)),
    )
}

const ATTEMPT_CHARS = 240

/** What of a command, and of how it ended, follows from how its output was trimmed: a pipe hides the exit code. */
const TRIMMED =
  / *(?:[12&]?> ?(?:&[12]|\/dev\/null)|\|&? *(?:head|tail|cat)\b[^|;&:]*)| with exit code \d+(?=, ")/g

/** What differs in nothing but places and counts is the same again; a number in a name, as in `test_2.py` or E501, tells it apart. */
const alike = (text: string): string => text.replace(/(?<![\p{L}\p{N}_./-])\d+(?![\p{L}\p{N}_])/gu, '#')

/** What failed before a tool says more than that the model thought so; the reason of another is told with that. */
export function attemptItems({ state }: Desk): Item<string>[] {
  const { failed_attempts } = state
  const told = new Set(failed_attempts.map(({ why }) => why?.value))
  const failures = Map.groupBy(
    failed_attempts.filter(({ value }) => !told.has(value)),
    ({ value }) => alike(value.replace(TRIMMED, '')),
  )
  const best = spread(
    // Of one failure the newest that is explained, or the newest.
    [...failures.values()].flatMap((same) => same.findLast(({ why }) => why) ?? same.at(-1) ?? []),
    state,
    ({ from, why, later }) => (from === 'tool' ? 2 : 0) + (why ? 2 : 0) + (later ? 1 : 0),
  )
  return best.map((one) => {
    const { ref, value, why, later } = one
    const reason = why ? `; because: ${why.value}` : ''
    const line = `${value}${reason}${later ? `; later: ${later.value} (#${later.ref})` : ''} (#${ref})`
    const explained = [why, later].flatMap((more) =>
      more ? [{ seq: more.ref, field: '/delta/explain_attempts', part: more.value }] : [],
    )
    return {
      ...prose(ref, '', line, (text) => text, ATTEMPT_CHARS),
      key: failed_attempts.indexOf(one),
      originsOf: () => [{ seq: ref, field: '/delta/add_failed_attempt', part: value }, ...explained],
    }
  })
}

/** What a person or the definition stated is told first, then what was learned last. */
const rankOf = ({ from, ref }: Fact): number =>
  (from === 'person' || from === 'definition' ? 1_000_000_000 : 0) + ref

export function factItems({
  state: { knowledge, changed },
}: Desk): Item<readonly [string, Packet['knowledge'][string]]>[] {
  const last = changed.at(-1)?.ref ?? 0
  return [...Object.entries(knowledge).entries()]
    .sort(([, [, a]], [, [, b]]) => rankOf(b) - rankOf(a))
    .map(([key, [name, { ref, value, source_turn, from }]]) => {
      // Counts are of the text as it was; what was committed stays so.
      const stale = from === 'tool' && typeof value === 'number' && ref < last ? last : null
      return {
        key,
        value: [name, { value, source_turn, stale }],
        originsOf: ([part = '', ...rest]) =>
          part === 'stale'
            ? [{ seq: last, field: '/seq' }]
            : [originIn(ref, '/delta/update_knowledge/', part === 'value' ? [name, ...rest] : [part])],
      }
    })
}

/** The newest problem first, those like it with it. One may be gone once its file was changed. */
export const problemItems = ({ state: { diagnostics, changed } }: Desk): Item<string>[] =>
  [...Map.groupBy(diagnostics.toReversed(), ({ value }) => alike(value)).values()].flatMap((same) => {
    const [{ value, ref } = { value: '', ref: 0 }] = same
    const later = changed.find(
      (file) => file.ref > ref && value.includes(file.value.split(/[\\/]/).at(-1) ?? file.value),
    )
    const more = same.length > 1 ? ` (and ${same.length - 1} more like it)` : ''
    const told = `${value}${more}${later ? ` (the file was changed since, #${later.ref})` : ''}`
    return item(
      ref,
      '/delta/add_diagnostics',
      told,
      diagnostics.findIndex((one) => one.value === value),
    )
  })
