import { isObject } from '../event/json.ts'
import { cut } from '../text/cut.ts'
import { onOneLine } from '../text/lines.ts'
import { VERSION } from '../version.ts'
import type { Summarizer } from './summarizer.ts'

/** The agent spoke to a person and this is the answer: it may hold a new goal or constraint, so it is kept whole. */
export const personReply: Summarizer = {
  name: 'person-reply',
  version: VERSION,
  summarize({ args, text }) {
    const message = isObject(args) ? (args['message'] ?? args['content'] ?? args['text']) : args
    const reply = text.trim()
    const question = typeof message === 'string' ? onOneLine(message) : ''
    const asked = `"${cut(question, 60)}"`
    return {
      summary:
        reply === ''
          ? `Told the user ${asked}`
          : `The user answered "${cut(onOneLine(reply), 80)}" to ${asked}`,
      output: null,
    }
  },
}
