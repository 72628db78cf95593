import { messageOf, TwotrackError } from '../errors.ts'
import { isObject } from '../event/json.ts'
import { MODEL_QUOTE_CHARS_MAX } from '../limits.ts'
import { neutralLine } from '../prompt/sanitize.ts'
import type { ModelFault } from './model.ts'
import { retryAfter } from './retry-after.ts'

/** What is known of an attempt when it fails. */
export interface Attempt {
  /** Where it went, for the message: no credentials, no query. */
  readonly server: string
  readonly deadlineMs: number
  /** Values that no message may hold. */
  readonly secrets: readonly string[]
  /** Whether the server had begun to answer. */
  readonly answering: boolean
  readonly now: number
}

interface Finding extends ModelFault {
  readonly says: string
}

/** A server answered with a status that is no success. */
export class Refused extends Error {
  readonly status: number
  readonly headers: Headers

  constructor(status: number, headers: Headers, message: string) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** A server answered, but not with what the API promises. */
export class NoCompletion extends Error {
  readonly body: string

  constructor(body: unknown) {
    super('The answer is no completion.')
    this.body = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  }
}

export function modelFault(fault: ModelFault, message: string): TwotrackError {
  return new TwotrackError('model_fault', message, { details: { ...fault } })
}

/** The fault behind a thrown error; undefined for anything that is not a `model_fault`. */
export function modelFaultOf(thrown: unknown): ModelFault | undefined {
  if (!(thrown instanceof TwotrackError) || thrown.code !== 'model_fault') return undefined
  const { kind, retry, wait_ms } = thrown.details
  if (!isKind(kind) || typeof retry !== 'boolean') return undefined
  return { kind, retry, ...(typeof wait_ms === 'number' ? { wait_ms } : {}) }
}

/**
 * Anything thrown during an attempt, as a `model_fault`. The original is not attached as cause: HTTP clients
 * put request headers into their errors, and with them the key.
 */
export function faultOf(thrown: unknown, attempt: Attempt): TwotrackError {
  if (modelFaultOf(thrown) && thrown instanceof TwotrackError) return thrown
  const { says, ...fault } = findingOf(thrown, attempt)
  return modelFault(fault, `The model server at ${attempt.server} ${says}`)
}

/** A short, single-line, harmless quotation of what a server sent. */
export function quote(text: string, secrets: readonly string[] = []): string {
  const open = secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text)
  const line = neutralLine(open).trim()
  return line.length > MODEL_QUOTE_CHARS_MAX ? `${line.slice(0, MODEL_QUOTE_CHARS_MAX)}…` : line
}

function findingOf(thrown: unknown, attempt: Attempt): Finding {
  if (thrown instanceof NoCompletion) {
    const body = quote(thrown.body, attempt.secrets) || '(nothing)'
    return { kind: 'bad_answer', retry: true, says: `answered something that is no completion: ${body}` }
  }
  const status = isObject(thrown) ? thrown['status'] : undefined
  const said = quote(messageOf(thrown), attempt.secrets)
  if (typeof status === 'number') return ofStatus(status, said, thrown, attempt)
  const codes = codesOf(thrown)
  if (codes.some((code) => TIMEOUTS.has(code))) {
    return {
      kind: 'timeout',
      retry: true,
      says: `gave no whole answer within ${attempt.deadlineMs} ms. Raise the deadline if the model is slow.`,
    }
  }
  if (codes.some((code) => /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code))) {
    return {
      kind: 'unreachable',
      retry: false,
      says: `has a certificate that is not trusted (${codes.join(', ')}). Set NODE_EXTRA_CA_CERTS, or use http on loopback.`,
    }
  }
  // An error object inside a stream: the client throws it without a status.
  if (isObject(thrown) && isObject(thrown['error'])) {
    const limited = /rate.?limit/i.test(`${thrown['code']} ${thrown['type']}`)
    const kind = limited ? 'rate_limited' : 'server_error'
    return { kind, retry: true, says: `broke off its answer with an error: ${said}` }
  }
  if (codes.includes('SyntaxError')) {
    return { kind: 'bad_answer', retry: true, says: `answered what is not JSON: ${said}` }
  }
  if (codes.some((code) => code === 'terminated' || CONNECTION.test(code)))
    return ofConnection(codes, attempt)
  return {
    kind: 'bad_answer',
    retry: false,
    says: `gave an answer that could not be read: ${said}`,
  }
}

function ofStatus(status: number, said: string, thrown: unknown, attempt: Attempt): Finding {
  const headers = isObject(thrown) ? thrown['headers'] : undefined
  const wait = headers instanceof Headers ? retryAfter(headers, attempt.now) : undefined
  const waiting = wait === undefined ? {} : { wait_ms: wait }
  const code = isObject(thrown) ? String(thrown['code'] ?? '') : ''
  const says = `answered ${said.startsWith(String(status)) ? said : `${status} ${said}`}.`
  if (status === 401 || status === 403) {
    return { kind: 'unauthorized', retry: false, says: `${says} Check the API key and what it may use.` }
  }
  if (status === 408 || status === 504) return { kind: 'timeout', retry: true, ...waiting, says }
  if (status === 429) {
    const spent = code === 'insufficient_quota'
    return {
      kind: 'rate_limited',
      retry: !spent,
      ...waiting,
      says: spent ? `${says} The quota is used up.` : says,
    }
  }
  if (status >= 500) {
    return { kind: 'server_error', retry: status !== 501 && status !== 505, ...waiting, says }
  }
  if (status >= 300 && status < 400) {
    return { kind: 'rejected', retry: false, says: `${says} Redirects are not followed; give the final URL.` }
  }
  return { kind: 'rejected', retry: false, says: `${says}${adviceFor(status, `${code} ${said}`)}` }
}

function adviceFor(status: number, said: string): string {
  if (/context.{0,20}(length|window|size)|too many tokens|maximum context/i.test(said)) {
    return ' Lower the packet limit and the prompt budget, or give the server a larger context.'
  }
  return status === 404 ? ' Check the URL and the name of the model.' : ''
}

function ofConnection(codes: readonly string[], { answering }: Attempt): Finding {
  const named = codes.filter((code) => /^[A-Z_]+$/.test(code)).join(', ') || 'connection lost'
  return answering
    ? { kind: 'truncated', retry: true, says: `broke off in the middle of its answer (${named}).` }
    : { kind: 'unreachable', retry: true, says: `cannot be reached (${named}). Is it running?` }
}

const TIMEOUTS = new Set([
  'TimeoutError',
  'ETIMEDOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])
const CONNECTION = /^(ECONN|ENOTFOUND|EAI_|EPIPE|EHOST|ENET|EADDR|EPROTO|UND_ERR_|HPE_|ERR_SSL|Z_)/

/** Names and codes of an error and of what caused it, and the one message that has neither. */
function codesOf(thrown: unknown): string[] {
  const codes: string[] = []
  let at = thrown
  for (let depth = 0; depth < 8 && isObject(at); depth++) {
    if (typeof at['code'] === 'string') codes.push(at['code'])
    if (at['name'] === 'TimeoutError' || at['name'] === 'SyntaxError') codes.push(at['name'])
    if (at['message'] === 'terminated') codes.push('terminated')
    // A name that resolves to several addresses fails once for each.
    at = at instanceof AggregateError && at.cause === undefined ? at.errors[0] : at['cause']
  }
  return codes
}

const KINDS: Readonly<Record<ModelFault['kind'], true>> = {
  unreachable: true,
  timeout: true,
  rate_limited: true,
  server_error: true,
  rejected: true,
  unauthorized: true,
  bad_answer: true,
  truncated: true,
  no_answer_recorded: true,
}
const isKind = (value: unknown): value is ModelFault['kind'] =>
  typeof value === 'string' && Object.hasOwn(KINDS, value)
