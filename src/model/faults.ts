import { isObject, tryParse } from '../core/event/json.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { sanitizeLine } from '../text/sanitize.ts'
import { FAULT_KINDS, type ModelFault } from './model.ts'
import { retryAfter } from './retry.ts'

/** What a fault's message quotes of a server's answer. */
const MODEL_QUOTE_CHARS_MAX = 300

/**
 * Why an answer cannot be used. Adapters throw it while they read one; `http.ts` makes a `model_fault` of it. The
 * message goes on after "The model server at URL".
 */
export class Unusable extends Error {
  readonly fault: ModelFault

  constructor(
    kind: ModelFault['kind'],
    retry: boolean,
    message: string,
    more: Pick<ModelFault, 'wait_ms' | 'completion'> = {},
  ) {
    super(message)
    this.fault = { kind, retry, ...more }
  }
}

export function modelFault(fault: ModelFault, message: string): TwotrackError {
  return new TwotrackError('model_fault', message, { details: { ...fault } })
}

/** The fault behind a thrown error; undefined for anything that is not a `model_fault`. */
export function modelFaultOf(thrown: unknown): ModelFault | undefined {
  if (!(thrown instanceof TwotrackError) || thrown.code !== 'model_fault') return undefined
  const { retry, wait_ms, completion } = thrown.details
  const kind = FAULT_KINDS.find((known) => known === thrown.details['kind'])
  if (kind === undefined || typeof retry !== 'boolean') return undefined
  return {
    kind,
    retry,
    ...(typeof wait_ms === 'number' ? { wait_ms } : {}),
    ...(typeof completion === 'string' || completion instanceof Uint8Array ? { completion } : {}),
  }
}

/** A short, single-line, harmless quotation of what a server sent. */
export function quote(text: string): string {
  const line = sanitizeLine(text).trim()
  return line.length > MODEL_QUOTE_CHARS_MAX ? `${line.slice(0, MODEL_QUOTE_CHARS_MAX)}…` : line
}

/** The server announced success and sent something else than an answer: an error, or anything at all. */
export function noCompletion(text: string): Unusable {
  const body = tryParse(text)
  if (!isObject(body) || !body['error']) {
    const sent = quote(text) || '(nothing)'
    return new Unusable('bad_answer', true, `answered something that is no completion: ${sent}`)
  }
  const { message, code } = errorIn(body)
  const kind = /rate.?limit|429/i.test(code) ? 'rate_limited' : 'server_error'
  return new Unusable(kind, true, `sent an error instead of an answer: ${quote(message)}`)
}

/** The server answered with a status that is no success. */
export function statusFault(status: number, headers: Headers, body: string, now: number): Unusable {
  const { message, code } = errorIn(tryParse(body) ?? body)
  const answered = `answered ${`${status} ${quote(message)}`.trim()}.`
  const wait_ms = retryAfter(headers, now)
  const wait = wait_ms === undefined ? {} : { wait_ms }
  if (status === 401 || status === 403)
    return new Unusable('unauthorized', false, `${answered} Check the API key and what it may use.`)
  if (status === 408 || status === 504) return new Unusable('timeout', true, answered, wait)
  if (status === 429) {
    const spent = code.includes('insufficient_quota')
    return new Unusable('rate_limited', !spent, answered + (spent ? ' The quota is used up.' : ''), wait)
  }
  if (status >= 500) return new Unusable('server_error', status !== 501 && status !== 505, answered, wait)
  return new Unusable('rejected', false, answered + adviceFor(status, `${code} ${message}`))
}

function adviceFor(status: number, message: string): string {
  if (status < 400) return ' Redirects are not followed; give the final URL.'
  if (/context.{0,20}(length|window|size)|too many tokens|maximum context/i.test(message)) {
    return ' Lower the packet limit and the prompt budget, or give the server a larger context.'
  }
  return status === 404 ? ' Check the URL and the name of the model.' : ''
}

/** Servers put the message at `error.message`, `error`, `message` or `detail`; some send none. */
function errorIn(body: unknown): { message: string; code: string } {
  const error = isObject(body) ? (body['error'] ?? body) : body
  if (!isObject(error)) return { message: String(error), code: '' }
  const message = error['message'] ?? error['detail']
  return {
    message: typeof message === 'string' ? message : JSON.stringify(error),
    code: `${error['code'] ?? ''} ${error['type'] ?? ''}`,
  }
}

/** Anything else that was thrown: by the connection, or by what reads the answer. */
export function connectionFault(thrown: unknown, answering: boolean, deadlineMs: number): Unusable {
  const codes = codesOf(thrown)
  const has = (pattern: RegExp) => codes.some((code) => pattern.test(code))
  if (has(/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/))
    return new Unusable('timeout', true, 'sent nothing for 5 minutes. Let it stream its answers.')
  if (has(/^(TimeoutError|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/)) {
    const advice = 'Raise the deadline if the model is slow.'
    return new Unusable('timeout', true, `gave no whole answer within ${deadlineMs} ms. ${advice}`)
  }
  if (has(/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/)) {
    const what = `has a certificate that is not trusted (${codes.join(', ')}).`
    const advice = 'Set NODE_EXTRA_CA_CERTS, or use http on loopback.'
    return new Unusable('unreachable', false, `${what} ${advice}`)
  }
  if (has(/^(terminated|ECONN|ENOTFOUND|EAI_|EPIPE|EHOST|ENET|EADDR|EPROTO|UND_ERR_|HPE_|ERR_SSL|Z_)/)) {
    const named = codes.filter((code) => code !== 'terminated').join(', ') || 'connection lost'
    return answering
      ? new Unusable('truncated', true, `broke off in the middle of its answer (${named}).`)
      : new Unusable('unreachable', true, `cannot be reached (${named}). Is it running?`)
  }
  // What fetch itself does not do has no code, such as to ask a port that is none of the web's.
  if (!answering && isObject(thrown) && thrown['message'] === 'fetch failed')
    return new Unusable(
      'unreachable',
      false,
      `cannot be reached: ${quote(messageOf(thrown['cause']))}. Check the URL.`,
    )
  return new Unusable(
    'bad_answer',
    false,
    `gave an answer that could not be read: ${quote(messageOf(thrown))}`,
  )
}

/** The codes of an error and of what caused it; a name or a message where there is no code. */
function codesOf(thrown: unknown): string[] {
  const codes: string[] = []
  let at = thrown
  for (let depth = 0; depth < 8 && isObject(at); depth++) {
    if (typeof at['code'] === 'string') codes.push(at['code'])
    if (at['name'] === 'TimeoutError') codes.push(at['name'])
    if (at['message'] === 'terminated') codes.push('terminated')
    // A name that resolves to several addresses fails once for each.
    at = at instanceof AggregateError && at.cause === undefined ? at.errors[0] : at['cause']
  }
  return codes
}
