import type { Event } from '../../core/event/event.ts'
import { isObject, type Json } from '../../core/event/json.ts'
import type { Origin } from '../../core/packet/state.ts'
import { type AskedLeaf, pathOf, pointerOf, valueAt } from './leaves.ts'

/** The fields of events that a leaf comes from; none for a value that nothing has set. The view itself tells them. */
export function originsOf({ leaf, end, history }: AskedLeaf): readonly Origin[] {
  const [section] = leaf.path
  if (section === 'turn') {
    const first = history.events.find(({ turn }) => turn === leaf.value)
    return first ? [{ seq: first.seq, field: '/turn' }] : []
  }
  if (section === 'error_count')
    return history.events
      .filter(({ seq, delta }) => seq <= end.seq && typeof delta?.set_error === 'string')
      .map(({ seq }) => ({ seq, field: '/delta/set_error', counted: true }))
  return end.originsOf(leaf.path).map((origin) => {
    const event = history.event(origin.seq)
    return event ? located(event, origin, String(leaf.value)) : origin
  })
}

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
  const lines = part
    .split('\n')
    .filter((line) => line.trim() !== '' && text.includes(line.replace(/^…|…$/g, '')))
  if (lines.length > 0) return lines.join('\n')
  // A line that was changed in its middle.
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && part.includes(line))
    .join('\n')
}
