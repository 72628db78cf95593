import type { Event } from '../event/event.ts'
import { estimate } from '../tokens/estimate.ts'
import { cutter, joinRuns, OUTPUT } from './cut.ts'

/**
 * What a packet would show of one tool result if it had so many tokens for it: the sentence of what it did, then its
 * output, cut where it matters least. For those who shorten outputs without keeping a packet. Empty for other events.
 */
export function shownOf(
  event: Event,
  tokens: number,
  count: (text: string) => number = estimate.count,
): string {
  const action = event.type === 'tool_result' ? event.delta?.add_action?.at(-1) : undefined
  if (!action) return ''
  const { summary, output = '', highlights = [] } = action
  const lines = output.split('\n')
  const fit = cutter(
    { lines, highlights, kind: OUTPUT },
    (line) => count(line) + 1,
    () => 0,
  )
  for (let left = tokens - count(summary); left > 0; left -= 8) {
    const shown = `${summary}\n${joinRuns(fit(left), lines.length)}`.trimEnd()
    if (count(shown) <= tokens) return shown
  }
  return count(summary) <= tokens ? summary : ''
}
