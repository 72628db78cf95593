import { spansOf, type TraceSpan, traceRequest } from '../audit/otlp.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'

/** Of one request: receivers refuse what is too large. */
const SPANS_MAX = 1_000
const SEND_MS = 30_000

/** The requests that tell a log, in the JSON of OpenTelemetry's protocol. */
export async function* traceRequestsOf(store: Store, agentId: string): AsyncGenerator<object> {
  const spans: TraceSpan[] = await spansOf(store.read(agentId, { raw: false }))
  for (let from = 0; from < spans.length; from += SPANS_MAX)
    yield traceRequest(spans.slice(from, from + SPANS_MAX))
}

/** Sends a request to the address that a person gave, such as `http://127.0.0.1:4318/v1/traces`. */
export async function sendTrace(request: object, url: string): Promise<void> {
  const to = URL.canParse(url) ? new URL(url) : undefined
  if (!to || !/^https?:$/.test(to.protocol))
    throw new TwotrackError(
      'bad_argument',
      `"${url}" is no address of a receiver: http://127.0.0.1:4318/v1/traces.`,
    )
  let status: number
  let said: string
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      redirect: 'error',
      signal: AbortSignal.timeout(SEND_MS),
    })
    status = response.status
    said = await response.text()
  } catch (cause) {
    throw new TwotrackError('io', `${url} can't be reached: ${messageOf(cause)}. Is the receiver running?`, {
      cause,
    })
  }
  if (status < 200 || status > 299)
    throw new TwotrackError('io', `${url} answered ${status}: ${said.slice(0, 300)}`)
}
