import { isObject, type Json } from '../event/json.ts'
import { FOLD_CAPS } from '../limits.ts'
import { cut } from '../text/cut.ts'
import { genericSummarizer } from './generic.ts'
import { isEmpty } from './json/fields.ts'
import { json } from './json/json.ts'
import { jsonOf } from './json/text.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'

const DELTA = 'knowledge_delta'

/**
 * A tool that speaks for itself inside its structured output: `{summary | message, knowledge_delta}`. Words too long for
 * a summary are its beginning, and the lines worth keeping of them are remembered as of any output. What stands beside
 * the words is remembered as of any answer, unless the tool says itself what to remember.
 */
export const passthrough: Summarizer = {
  name: 'passthrough',
  summarize(seen) {
    const { output } = seen
    if (!isObject(output)) return undefined
    const field = output['summary'] === undefined || output['summary'] === null ? 'message' : 'summary'
    const words = output[field]
    if (typeof words !== 'string' || words === '') return undefined
    const delta = output[DELTA]
    const long = words.length > FOLD_CAPS.summary_chars
    const knowledge = {
      ...(isObject(delta) ? {} : beside(field, seen)),
      ...(long ? genericSummarizer.summarize({ ...seen, output: words, text: words })?.knowledge : {}),
      ...(isObject(delta) ? (delta as Record<string, Json>) : {}),
    }
    return {
      summary: long ? cut(words, FOLD_CAPS.summary_chars) : words,
      ...(isObject(delta) || !isEmpty(knowledge) ? { knowledge } : {}),
    }
  },
}

/** What the other fields tell: ids, states, lists. That it went well is no more than the words say. */
function beside(field: string, seen: Observation): Summary['knowledge'] {
  const value = jsonOf(seen.output, '')?.value
  if (!isObject(value)) return {}
  const others = Object.entries(value as Record<string, Json>).filter(
    ([name]) => name !== field && name !== DELTA,
  )
  if (others.every(([, other]) => typeof other === 'boolean' || isEmpty(other))) return {}
  return json.summarize({ ...seen, output: Object.fromEntries(others), text: '' })?.knowledge
}
