import { isObject, type Json } from '../core/event/json.ts'
import { SUMMARY_CHARS_MAX } from '../limits.ts'
import { cut } from '../text/cut.ts'
import { onOneLine } from '../text/lines.ts'
import { isEmpty, jsonText } from './json-text.ts'
import type { Summarizer } from './summarizer.ts'

/**
 * Structured output with words of its own: `{summary | message}`. They are quoted as the step's summary and count as
 * nothing more; what stands beside them is shown, unless the words say it all.
 */
export const passthrough: Summarizer = {
  name: 'passthrough',
  summarize({ output }) {
    if (!isObject(output)) return undefined
    const field = output['summary'] === undefined || output['summary'] === null ? 'message' : 'summary'
    const words = output[field]
    if (typeof words !== 'string' || words === '') return undefined
    const others = Object.entries(output as Record<string, Json>).filter(
      ([name, value]) => name !== field && typeof value !== 'boolean' && !isEmpty(value),
    )
    const beside = others.length > 0 ? jsonText(Object.fromEntries(others)) : ''
    const long = words.length > SUMMARY_CHARS_MAX
    const shown = [...(long ? [words] : []), ...(beside === '' ? [] : [beside])].join('\n')
    return {
      summary: cut(onOneLine(words.slice(0, SUMMARY_CHARS_MAX * 2)), SUMMARY_CHARS_MAX),
      output: shown === '' ? null : shown,
    }
  },
}
