import { isObject } from '../event/json.ts'
import type { Summarizer } from './summarizer.ts'

/** A tool that speaks for itself inside its structured output: `{summary | message, knowledge_delta}`. */
export const passthrough: Summarizer = {
  name: 'passthrough',
  summarize({ output }) {
    if (!isObject(output)) return undefined
    const words = output['summary'] ?? output['message']
    if (typeof words !== 'string' || words === '') return undefined
    const knowledge = output['knowledge_delta']
    return {
      summary: words,
      ...(isObject(knowledge) ? { knowledge: knowledge as Record<string, never> } : {}),
    }
  },
}
