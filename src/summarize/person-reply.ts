import { isObject } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { onOneLine } from '../text/lines.ts'
import { VERSION } from '../version.ts'
import { fieldText } from './fields.ts'
import type { Summarizer } from './summarizer.ts'

/** The agent spoke to a person and this is the answer: it may hold a new goal or constraint, so it is kept whole. */
export const personReply: Summarizer = {
  name: 'person-reply',
  version: VERSION,
  summarize({ args, text }) {
    const message = isObject(args) ? fieldText(args, ['message', 'content', 'text']) : args
    const reply = text.trim()
    const asked = `"${cut(onOneLine(typeof message === 'string' ? message : ''), 60)}"`
    return {
      summary:
        reply === ''
          ? `Told the user ${asked}`
          : `The user answered "${cut(onOneLine(reply), 80)}" to ${asked}`,
      output: null,
    }
  },
}
