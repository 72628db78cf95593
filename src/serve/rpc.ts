import { isObject, type Json, tryParse } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { eachLine } from './lines.ts'
import type { ServedSession } from './session.ts'

/** Of one request. */
const MESSAGE_CHARS_MAX = 64_000_000

type Id = string | number | null

/** The codes of JSON-RPC; whatever a request itself runs into has one code, and says which in `data.code`. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const REFUSED = -32000

/** Answers JSON-RPC 2.0, a message a line, one after the other, until the client goes. */
export async function serve(
  session: ServedSession,
  requests: AsyncIterable<Uint8Array>,
  write: (line: string) => void,
): Promise<void> {
  const say = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    for await (const line of eachLine(requests, MESSAGE_CHARS_MAX))
      if (line.trim() !== '') await one(session, line, say)
  } catch (thrown) {
    say({ id: null, error: { code: INVALID_REQUEST, message: messageOf(thrown) } })
  } finally {
    await session.end()
  }
}

async function one(session: ServedSession, line: string, say: (message: object) => void): Promise<void> {
  const request = tryParse(line)
  if (request === undefined)
    return say({ id: null, error: { code: PARSE_ERROR, message: 'This line is no JSON.' } })
  const { id, method, params } = isObject(request) ? request : {}
  const isNotice = isObject(request) && !('id' in request)
  if (typeof method !== 'string' || !isId(id ?? null)) {
    const message = 'A request is {"jsonrpc":"2.0","id":1,"method":"open","params":{…}}.'
    return say({ id: null, error: { code: INVALID_REQUEST, message } })
  }
  try {
    const result: Json = await session.answer(method, params)
    if (!isNotice) say({ id, result })
  } catch (thrown) {
    if (!isNotice) say({ id, error: errorOf(thrown) })
  }
}

const isId = (id: unknown): id is Id => id === null || typeof id === 'string' || typeof id === 'number'

function errorOf(thrown: unknown): object {
  const message = messageOf(thrown)
  if (!(thrown instanceof TwotrackError)) return { code: REFUSED, message, data: { code: 'crashed' } }
  const code =
    thrown.code === 'bad_argument'
      ? INVALID_PARAMS
      : message.startsWith('There is no "')
        ? METHOD_NOT_FOUND
        : REFUSED
  return { code, message, data: { code: thrown.code } }
}
