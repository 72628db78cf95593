import { plural } from '../../text/lines.ts'
import { cap } from '../packet/caps.ts'
import type { Packet } from '../packet/packet.ts'
import type { Attempt, ChangedFile, KeptConclusion, Origin, State } from '../packet/state.ts'
import { cutter, GOAL, joinRuns, type Text, WORDS } from './cut.ts'
import { interestOf } from './interest.ts'
import type { Reader } from './reader.ts'
import type { Item } from './row.ts'

export const at = (ref: number, field: string): Origin => ({ seq: ref, field })
/** The number that an entry has of its event stands in the event's header. */
const HEADER = new Map([
  ['ref', '/seq'],
  ['turn', '/turn'],
  ['source_turn', '/turn'],
])

/** Something of one event: what of its entry does not stand in the header is in a field, and under it where that ends so. */
export function item<Entry>(
  key: number,
  ref: number,
  field: string,
  entry: (text: string) => Entry,
  text?: Text,
): Item<Entry> {
  const originsOf = (path: readonly string[]) => [
    at(
      ref,
      HEADER.get(path.at(-1) ?? '') ?? (field.endsWith('/') ? field + path.map(escaped).join('/') : field),
    ),
  ]
  return { key, add: (_, shown) => entry(shown), originsOf, ...(text ? { text } : {}) }
}

export const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')
export const words = (text: string): Text => ({ lines: text.split('\n'), kind: WORDS })
type Changed = Packet['changed'][number]

/** The files, the last changed first; then what was said of the changes, the newest of each file first. */
export function changeItems(changed: readonly ChangedFile[]): Item<Changed>[] {
  // What is known to be written tells more than that a command wrote somewhere.
  const isTold = ({ added, removed, said }: ChangedFile) => (added + removed + said.length > 0 ? 1 : 0)
  const latest = changed.toReversed().sort((a, b) => isTold(b) - isTold(a))
  const heard = new Set<string>()
  const files = latest.map(({ ref, value, added, removed, names, said }) => {
    const lines = [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : '']
      .filter((part) => part !== '')
      .join(' ')
    const what = `${lines}${names.length > 0 ? ` in ${names.join(', ')}` : ''}`.trim()
    return {
      ...item<Changed>(ref, ref, '/delta/change_files', () => ({ path: value, what, said: [], ref })),
      originsOf: ([field, index]: readonly string[], { said: shown }: Changed) => {
        const one = said.find((remark) => remark.value === shown[Number(index)])
        if (field === 'said' && one) return [at(one.ref, '/delta/change_files')]
        return [
          field === 'what'
            ? { ...at(ref, '/delta/change_files'), counted: true }
            : at(ref, field === 'ref' ? '/seq' : '/delta/change_files'),
        ]
      },
    }
  })
  const rounds = Math.max(0, ...latest.map(({ said }) => said.length))
  const remarks = Array.from({ length: rounds }, (_, ago) =>
    latest.flatMap(({ ref, said }): Item<Changed>[] => {
      const one = said.at(-1 - ago)
      if (!one || heard.has(one.value)) return []
      heard.add(one.value)
      return [
        {
          ...item<Changed>(ref, one.ref, '/delta/change_files', () => ({
            path: '',
            what: '',
            said: [],
            ref,
          })),
          price: one.value,
          add: (entry) => entry && { ...entry, said: [one.value, ...entry.said] },
        },
      ]
    }),
  )
  return [...files, ...remarks.flat()]
}

const PARTS = 3

/** In turn what says most of each part of the run, the newest part first; what was said last stands in the steps. */
export function byWorth({ conclusions, thoughts }: State): ReadonlySet<KeptConclusion> {
  const size = Math.ceil(conclusions.length / PARTS)
  const parts = Array.from({ length: PARTS }, (_, part) =>
    conclusions.slice(part * size, (part + 1) * size).sort((a, b) => b.score - a.score || b.ref - a.ref),
  ).reverse()
  const inTurn = Array.from({ length: size }, (_, at) => parts.flatMap((part) => part[at] ?? []))
  const last = thoughts.at(-1)?.ref
  return new Set(inTurn.flat().sort((a, b) => (a.ref === last ? 1 : 0) - (b.ref === last ? 1 : 0)))
}

export function attemptItem({ ref, value, why, later }: Attempt): Item<string> {
  const text = [
    value,
    why ? `because: ${why.value}` : '',
    later ? `later: ${later.value} (#${later.ref})` : '',
  ]
  const line = `${text.filter((part) => part !== '').join('; ')} (#${ref})`
  const at = [why, later].flatMap((one) =>
    one ? [{ seq: one.ref, field: '/delta/explain_attempts', part: one.value }] : [],
  )
  const originsOf = () => [{ seq: ref, field: '/delta/add_failed_attempt', part: value }, ...at]
  return { key: ref, add: () => line, originsOf }
}

/** Whether an output says an error, or what that quotes. */
export function saysError(error: string, output: string): boolean {
  const [, quote] = /"(.+?)…?"$/.exec(error) ?? []
  return output.includes(quote ?? error)
}

/** What stands of the goal in any case: all of it, unless the run was told to make do with less. */
export function goalText(state: State, reader: Reader): string {
  const { lines, kind, interest } = goalOf(state, reader)
  const cost = (line: string) => reader.count(line) + 1
  return joinRuns(cutter({ lines, kind }, cost, interest)(cap(state.settings, 'goal_tokens')), lines.length)
}

/** Of a goal that is cut both ends stand, and what is at hand. Every line of the goal speaks of the goal. */
export const goalOf = (
  state: State,
  reader: Reader,
): Text & { readonly interest: (line: string) => number } => ({
  lines: state.goal.value.split('\n'),
  kind: GOAL,
  interest: interestOf({ ...state, goal: { ...state.goal, value: '' } }, reader),
})

/** What a packet does not show of what was done. */
export function leftOut({ actions, forgotten }: State, { recent_actions }: Packet): string[] {
  const shown = new Set(recent_actions.map(({ ref }) => ref))
  const hidden = actions.filter(({ ref }) => !shown.has(ref))
  const count = hidden.length + (forgotten?.count ?? 0)
  const ends = [forgotten?.first ?? hidden[0]?.ref, hidden.at(-1)?.ref ?? forgotten?.last]
  return count === 0 ? [] : [`${plural(count, 'earlier step')} (#${[...new Set(ends)].join('-#')})`]
}
