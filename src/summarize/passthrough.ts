import { isObject } from '../event/json.ts'
import { FOLD_CAPS } from '../limits.ts'
import { cut } from '../packet/cut.ts'
import { genericSummarizer } from './generic.ts'
import type { Summarizer } from './summarizer.ts'

/**
 * A tool that speaks for itself inside its structured output: `{summary | message, knowledge_delta}`. Words too long for
 * a summary are its beginning, and the lines worth keeping of them are remembered as of any output.
 */
export const passthrough: Summarizer = {
  name: 'passthrough',
  summarize(seen) {
    const { output } = seen
    if (!isObject(output)) return undefined
    const words = output['summary'] ?? output['message']
    if (typeof words !== 'string' || words === '') return undefined
    const delta = output['knowledge_delta']
    const long = words.length > FOLD_CAPS.summary_chars
    const knowledge = {
      ...(long ? genericSummarizer.summarize({ ...seen, output: words, text: words })?.knowledge : {}),
      ...(isObject(delta) ? (delta as Record<string, never>) : {}),
    }
    return {
      summary: long ? cut(words, FOLD_CAPS.summary_chars) : words,
      ...(isObject(delta) || long ? { knowledge } : {}),
    }
  },
}
