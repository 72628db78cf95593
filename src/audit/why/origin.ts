import type { Event } from '../../core/event/event.ts'
import { isObject, type Json } from '../../core/event/json.ts'
import type { Origin } from '../../core/packet/state.ts'
import { isSamePath } from '../../text/paths.ts'
import { type AskedLeaf, pathOf, pointerOf, valueAt } from './leaves.ts'

/** The fields of events that a leaf comes from; none for a value that nothing has set. The view itself tells them. */
export function originsOf(asked: AskedLeaf): readonly Origin[] {
  const { leaf, end, history } = asked
  const [section] = leaf.path
  if (section === 'turn') {
    const first = history.events.find(({ turn }) => turn === leaf.value)
    return first ? [{ seq: first.seq, field: '/turn' }] : []
  }
  if (section === 'error_count')
    return history.events
      .filter(({ seq, delta }) => seq <= end.seq && typeof delta?.set_error === 'string')
      .map(({ seq }) => ({ seq, field: '/delta/set_error', counted: true }))
  return end.originsOf(leaf.path).flatMap((origin) => {
    const event = history.event(origin.seq)
    if (!event) return [origin]
    const found = located(event, origin, String(leaf.value))
    return section === 'files' && origin.part !== undefined ? withEarlier(found, origin.part, asked) : [found]
  })
}

/** Lines of a file that its last change left as they were come from the events before it that read or wrote them. */
function withEarlier(last: Origin, part: string, { leaf, end, history }: AskedLeaf): readonly Origin[] {
  const path = end.packet.files[Number(leaf.path[1])]?.path ?? ''
  const all: Origin[] = []
  let left = part.split('\n').filter((line) => line.trim() !== '')
  const take = (origin: Origin): void => {
    if (origin.field === CHANGES) return
    all.push(origin)
    left = left.filter((line) => !(origin.part ?? part).includes(line))
  }
  take(last)
  for (let seq = last.seq - 1; seq > 0 && left.length > 0; seq--) {
    const event = history.event(seq)
    if (event?.delta?.change_files?.some((change) => isSamePath(change.path, path)))
      take(located(event, { seq, field: CHANGES, part: left.join('\n') }, ''))
  }
  return all.length > 0 ? all : [last]
}

const CHANGES = '/delta/change_files'

/** Where words stand in events that are not a model's. */
const WORDS = ['/data/text', '/data/note', '/data/answer']

/** The entry of a list in an event's delta that holds what is asked for, and what of that stands in it. */
function located(event: Event, origin: Origin, value: string): Origin {
  const at = (pointer: string): Json | undefined => valueAt(event as unknown as Json, pathOf(pointer) ?? [])
  if (WORDS.includes(origin.field))
    return { ...origin, field: WORDS.find((field) => at(field) !== undefined) ?? origin.field }
  const held = at(origin.field)
  if (!Array.isArray(held)) return origin
  const part = origin.part ?? value
  const texts = held.flatMap((entry, index) =>
    (typeof entry === 'string'
      ? [['', entry] as const]
      : isObject(entry)
        ? Object.entries(entry)
        : []
    ).flatMap(([name, text]) => (typeof text === 'string' ? [{ text, index, name }] : [])),
  )
  const best = texts
    .map((one) => ({ ...one, shared: sharedOf(part, one.text) }))
    .sort((a, b) => b.shared.length - a.shared.length || b.index - a.index)[0]
  if (!best || best.shared === '') return origin
  const field = origin.field + pointerOf([String(best.index), ...(best.name === '' ? [] : [best.name])])
  return origin.part === undefined || best.shared === part
    ? { ...origin, field }
    : { ...origin, field, part: best.shared }
}

/** What two texts share: one in the other, else the lines of one in the other; a cap of the state may have cut one. */
function sharedOf(part: string, text: string): string {
  if (text === '' || text.includes(part)) return part === '' ? '' : text.includes(part) ? part : ''
  if (part.endsWith('…') && text.startsWith(part.slice(0, -1))) return part
  const lines = part.split('\n').filter((line) => line.trim() !== '' && holdsLine(text, line))
  if (lines.length > 0) return lines.join('\n')
  // A line that was changed in its middle, and may be shown from there on.
  const [shown = ''] = part.split('…').slice(-1)
  return text
    .split('\n')
    .map((line) => (part.includes(line) ? line : overlap(line, shown)))
    .filter((line) => line.trim() !== '')
    .join('\n')
}

/** Whole, or what is left of a line that was cut. */
const holdsLine = (text: string, line: string): boolean =>
  text.includes(line) || line.split('…').every((piece) => text.includes(piece))

/** Shorter ones stand anywhere by chance. */
const OVERLAP_MIN = 12

/** The end of one text that another begins with. */
function overlap(first: string, second: string): string {
  const head = second.slice(0, OVERLAP_MIN)
  if (head.length < OVERLAP_MIN) return ''
  for (let at = first.indexOf(head); at >= 0; at = first.indexOf(head, at + 1))
    if (second.startsWith(first.slice(at))) return first.slice(at)
  return ''
}
