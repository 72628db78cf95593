import { isObject } from '../core/event/json.ts'
import { listAt, objectAt, objectIn, textAt } from './fields.ts'
import type { Format } from './format.ts'
import { type OpenCodeMessage, openCodeSession } from './opencode-session.ts'

/** What `opencode export` writes: `{info, messages: [{info, parts}]}`. Its database has the same in rows. */
export const opencode: Format = {
  name: 'OpenCode',
  value(value) {
    const info = objectAt(value, 'info')
    const isOne =
      textAt(info, 'id')?.startsWith('ses_') === true && isObject(value) && Array.isArray(value['messages'])
    return isOne ? [openCodeSession(info, () => messagesIn(listAt(value, 'messages')))] : undefined
  },
}

function* messagesIn(messages: readonly unknown[]): Iterable<OpenCodeMessage> {
  for (const message of messages)
    yield {
      info: objectAt(message, 'info'),
      parts: listAt(message, 'parts').filter(isObject).map(objectIn),
    }
}
