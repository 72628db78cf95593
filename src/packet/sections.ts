import type { Candidate } from '../event/delta.ts'
import type { Settings } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import { cut } from '../text/cut.ts'
import type { Action, Packet } from './packet.ts'
import type { Room, Share } from './room.ts'
import type { Sourced, State } from './state.ts'

/** A text shortened to less than this says nothing. */
const SHORTENED_CHARS_MIN = 16
const WHOLE_SUMMARY_CHARS_MAX = 150
const OLDER_SUMMARY_CHARS_MAX = 36

/**
 * Actions from the newest back, while they fit; a gap would hide that something happened in between. All but the
 * newest of them shrink to one short line before they vanish.
 */
export function fillWindow(actions: readonly Action[], room: Room, share: Share): Action[] {
  const shown: Action[] = []
  for (const [age, action] of actions.toReversed().entries()) {
    const summary =
      age === 0
        ? cut(action.summary, WHOLE_SUMMARY_CHARS_MAX)
        : cut(reminder(action.summary), OLDER_SUMMARY_CHARS_MAX)
    const short = { ...action, summary }
    if (!room.take({ in: 'recent_actions', action: short }, share)) break
    shown.unshift(short)
  }
  return shown
}

/** For lines that only remind: long paths by their last part, without the count that closes the sentence. */
const reminder = (text: string): string =>
  text
    .replace(/, \d[\d,]* lines?(?: now)?$/, '')
    .split(' ')
    .map((word) => {
      const parts = word.split(/[\\/]/)
      return parts.length > 2 ? (parts.findLast((part) => part !== '') ?? word) : word
    })
    .join(' ')

/** Lines from the newest back, given in their order. */
export function fillLines(lines: readonly Sourced<string>[], room: Room, share: Share): string[] {
  const shown: string[] = []
  for (const { value } of lines.toReversed()) {
    if (!room.take({ in: 'text', text: value }, share)) break
    shown.unshift(value)
  }
  return shown
}

/** A text, shortened until it fits; null when not even its beginning does. */
export function wholeText(text: string | undefined, room: Room, share: Share): string | null {
  const least = Math.min(SHORTENED_CHARS_MIN, text?.length ?? 0)
  for (let max = text?.length ?? 0; text && max >= least; max >>= 1) {
    const short = cut(text, max)
    if (room.take({ in: 'text', text: short }, share)) return short
  }
  return null
}

export function fillCandidates(candidates: readonly Candidate[], room: Room, share: Share): Candidate[] {
  const shown: Candidate[] = []
  for (const candidate of candidates) {
    if (!room.take({ in: 'candidate_actions', candidate }, share)) break
    shown.push(candidate)
  }
  return shown
}

export function fillHub(
  hub: State['hub'],
  room: Room,
  share: Share,
): Pick<Packet, 'hub_context' | 'hub_freshness'> {
  const none = { hub_context: null, hub_freshness: null }
  if (!hub || !room.take({ in: 'text', text: hub.value.freshness }, share)) return none
  const shown = Object.entries(hub.value.context).filter(([name, value]) =>
    room.take({ in: 'json', name, value }, share),
  )
  return shown.length === 0
    ? none
    : { hub_context: Object.fromEntries(shown), hub_freshness: hub.value.freshness }
}

/** Each extension is shown whole within its registered share, or not at all. */
export function fillExtensions(
  extensions: State['extensions'],
  settings: Settings,
  room: Room,
): Record<string, Json> {
  const shown: [string, Json][] = []
  for (const [name, { value }] of Object.entries(extensions)) {
    const part = settings.extensions[name]?.share ?? 0
    const share = { left: Math.floor(settings.packet_size_limit * part) }
    if (room.take({ in: 'json', name, value }, share)) shown.push([name, value])
  }
  return Object.fromEntries(shown)
}

/** The excerpt in focus, whole lines from its start. */
export function fillFocus(focus: State['focus'], room: Room, share: Share): Packet['focus'] {
  if (!focus || !room.take({ in: 'text', text: focus.value.place }, share)) return null
  const shown: string[] = []
  for (const line of focus.value.text.split('\n')) {
    if (!room.take({ in: 'lines', text: line }, share)) break
    shown.push(line)
  }
  return shown.length === 0 ? null : { ref: focus.ref, place: focus.value.place, text: shown.join('\n') }
}
