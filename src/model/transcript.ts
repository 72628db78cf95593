import type { DataOf } from '../core/event/event.ts'
import type { ChatMessage } from '../core/memory/messages.ts'
import { cutMiddle } from '../text/cut.ts'
import { plural } from '../text/lines.ts'

/** What of a transcript was left out so that a request fits; recorded, so that `verify` can make the same request again. */
export type Shortened = NonNullable<DataOf<'model_request'>['transcript']>

/** Of each message of the newest turn, where that turn alone is too large. */
const CHARS_MAX = 64_000
const CHARS_MIN = 250

/** The newest turns, whole, with what the agent was asked before them. */
export function shortened(
  messages: readonly ChatMessage[],
  { left_out, without_goal, chars_max = Number.POSITIVE_INFINITY }: Shortened,
): ChatMessage[] {
  const { goal, turns } = partsOf(messages)
  const note = `[${plural(left_out, 'earlier turn')} left out]`
  return [
    ...(without_goal ? [] : goal),
    ...(left_out > 0 && !without_goal ? [{ role: 'user' as const, content: note }] : []),
    ...turns
      .slice(left_out)
      .flat()
      .map((message) => ({ ...message, content: cutMiddle(message.content, chars_max) })),
  ]
}

/** As little as has to be left out: whole turns, the oldest first; then of the newest turn the middle of each message; then the rest. */
export function shortenedTo(
  messages: readonly ChatMessage[],
  tokensMax: number,
  tokensOf: (messages: readonly ChatMessage[]) => number,
): Shortened {
  const fits = (shape: Shortened) => tokensOf(shortened(messages, shape)) <= tokensMax
  const { turns } = partsOf(messages)
  let [most, least] = [turns.length, 0]
  while (least < most) {
    const middle = (least + most) >> 1
    if (fits({ left_out: middle })) most = middle
    else least = middle + 1
  }
  if (least < turns.length || turns.length === 0) return { left_out: least }
  const left_out = turns.length - 1
  for (let chars_max = CHARS_MAX; chars_max >= CHARS_MIN; chars_max >>= 1)
    if (fits({ left_out, chars_max })) return { left_out, chars_max }
  return fits({ left_out: turns.length })
    ? { left_out: turns.length }
    : { left_out: turns.length, without_goal: true }
}

/** What was asked before the model said anything; then the turns, each from an answer of the model to the next. */
function partsOf(messages: readonly ChatMessage[]) {
  const begins = messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  const goal = messages.slice(0, begins[0] ?? messages.length)
  return { goal, turns: begins.map((at, index) => messages.slice(at, begins[index + 1])) }
}
