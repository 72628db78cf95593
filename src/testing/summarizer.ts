import { fail } from 'node:assert/strict'
import { deltaSchema } from '../core/event/delta.ts'
import { observe } from '../summarize/observe.ts'
import { type Observation, type Summarizer, type Summary, toDelta } from '../summarize/summarizer.ts'

const SUMMARY_CHARS_MAX = 300
const SENTENCES_MAX = 2

/**
 * Runs a summarizer on one output and checks what every summary must keep: the same answer twice, one or two
 * sentences on one line, a delta that can be recorded. What the call has besides has a default. Gives the summary for a closer look; undefined is "not mine".
 */
export function testSummarizer(summarizer: Summarizer, call: Partial<Observation>): Summary | undefined {
  const seen = observed(call)
  const summary = summarizer.summarize(seen)
  if (JSON.stringify(summarizer.summarize(seen)) !== JSON.stringify(summary))
    fail(`${summarizer.name} is not pure: the same call gave two different summaries.`)
  if (summary === undefined) return undefined
  const fault = faultOf(summary.summary)
  if (fault !== undefined)
    fail(`${summarizer.name}: the summary ${fault}: ${JSON.stringify(summary.summary)}`)
  const checked = deltaSchema.safeParse(toDelta(seen, summary))
  if (!checked.success) {
    const [issue] = checked.error.issues
    fail(`${summarizer.name}: its delta can't be recorded: at ${issue?.path.join('.')}: ${issue?.message}`)
  }
  return summary
}

/**
 * The call as summarizers see it.
 * @internal
 */
export const observed = (call: Partial<Observation>): Observation =>
  observe({ tool: 'tool', args: {}, text: '', outcome: 'success', turn: 1, packet: undefined, ...call })

/**
 * What is wrong with a summary's words; undefined when nothing is.
 * @internal
 */
export function faultOf(summary: string): string | undefined {
  if (summary.trim() === '') return 'is empty'
  if (summary.includes('\n')) return 'has more than one line'
  if (summary.length > SUMMARY_CHARS_MAX) return `has more than ${SUMMARY_CHARS_MAX} characters`
  if (sentencesIn(summary) > SENTENCES_MAX) return `has more than ${SENTENCES_MAX} sentences`
  return undefined
}

/** What stands in quotation marks, or after the `$` of a command, is someone else's words and counts as none. */
function sentencesIn(summary: string): number {
  const command = summary.search(/(?:^|\s)\$ /)
  const own = (command === -1 ? summary : summary.slice(0, command)).replace(/"[^"]*"/g, '')
  return own.split(/[.!?] (?=[A-Z])/).length
}
