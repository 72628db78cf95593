import { isUtf8 } from 'node:buffer'
import { TwotrackError } from '../errors.ts'
import { connectionFault, modelFault, statusFault, Unusable } from './faults.ts'
import type { Completion } from './model.ts'
import { eventData } from './sse.ts'
import { hideStreamed } from './streamed.ts'

/** The body of a model server's answer, decoded; more is a fault. */
const MODEL_ANSWER_BYTES_MAX = 8 * 1024 * 1024
/** An API key of fewer characters is a placeholder, and not looked for in answers. */
const MODEL_KEY_CHARS_MIN = 8

/** Where a model server is, the key for it if it needs one, and how long one answer may take. */
export interface Endpoint {
  readonly url: URL
  readonly apiKey: string
  readonly deadlineMs: number
}

/** The body of a successful answer, read once: whole, or as the data of server-sent events. */
export interface Body {
  readonly type: string
  text(): Promise<string>
  events(): AsyncIterable<string>
}

export function endpointOf(url: string, deadlineMs: number, apiKey?: string | null): Endpoint {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TwotrackError(
      'bad_argument',
      `The model server's URL is ${url === '' ? 'missing' : 'not an http or https URL'}. Give one such as http://127.0.0.1:8080/v1.`,
    )
  }
  if (parsed.username || parsed.password) {
    throw new TwotrackError(
      'bad_argument',
      `The URL of the model server at ${parsed.host} holds a user name or password. Give the key as apiKey.`,
    )
  }
  const key = (apiKey ?? '').trim()
  if (!/^[\x20-\x7e]*$/.test(key)) {
    throw new TwotrackError(
      'bad_argument',
      `The API key for ${parsed.host} holds characters that no HTTP header takes. Was it copied whole?`,
    )
  }
  return { url: parsed, apiKey: key, deadlineMs }
}

/**
 * Makes one request (POST with a body, GET without) and reads the answer, within the deadline and until the
 * caller's signal. Follows no redirect and never reads more than the limit of bytes. Whatever goes wrong comes out
 * as a `model_fault`, with what was received until then, or as the signal's reason.
 */
export async function ask<T extends object>(
  endpoint: Endpoint,
  request: { readonly path: string; readonly body?: string },
  signal: AbortSignal,
  read: (body: Body) => Promise<T>,
): Promise<{ completion?: Completion } & T> {
  signal.throwIfAborted()
  const { apiKey, deadlineMs } = endpoint
  const deadline = AbortSignal.timeout(deadlineMs)
  const received: Uint8Array[] = []
  let answering = false
  try {
    const response = await fetch(addressOf(endpoint, request.path), {
      ...(request.body ? { method: 'POST', body: request.body } : {}),
      headers: {
        ...(request.body ? { 'content-type': 'application/json' } : {}),
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    })
    answering = true
    const chunks = withinLimit(response.body, received)
    if (!response.ok) {
      // A body that breaks off does not matter: the status is the answer.
      const text = await bodyText(chunks).catch(() => Buffer.concat(received).toString())
      throw statusFault(response.status, response.headers, withoutKey(text, apiKey), Date.now())
    }
    const answer = await read({
      type: response.headers.get('content-type') ?? '',
      text: async () => withoutKey(await bodyText(chunks), apiKey),
      events: async function* () {
        for await (const data of eventData(chunks)) yield withoutKey(data, apiKey)
      },
    })
    return { ...completionOf(received, apiKey), ...withoutKeyIn(answer, apiKey) }
  } catch (thrown) {
    signal.throwIfAborted()
    const { fault, message } =
      thrown instanceof Unusable
        ? thrown
        : connectionFault(deadline.aborted ? deadline.reason : thrown, answering, deadlineMs)
    // Not attached as cause: errors of HTTP clients hold the request's headers, and with them the key.
    throw modelFault(
      { ...completionOf(received, apiKey), ...fault },
      `The model server at ${shownAddress(endpoint.url)} ${withoutKey(message, apiKey)}`,
    )
  }
}

function addressOf({ url }: Endpoint, path: string): URL {
  const address = new URL(url)
  address.pathname = address.pathname.replace(/\/+$/, '') + path
  return address
}

/** Without its query, which may be private. */
const shownAddress = ({ origin, pathname }: URL): string => origin + pathname.replace(/\/+$/, '')

/** The chunks of a body (decompressed), each noted in `received`, up to the limit. */
async function* withinLimit(
  body: ReadableStream<Uint8Array> | null,
  received: Uint8Array[],
): AsyncGenerator<Uint8Array> {
  let left = MODEL_ANSWER_BYTES_MAX
  for await (const chunk of body ?? []) {
    received.push(chunk.subarray(0, left))
    if (chunk.length > left) {
      throw new Unusable(
        'bad_answer',
        false,
        `sent an answer of more than ${MODEL_ANSWER_BYTES_MAX} bytes, which was not read further.`,
      )
    }
    left -= chunk.length
    yield chunk
  }
}

async function bodyText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** What was received, byte for byte but for the key: as text, or as bytes where they are not UTF-8. */
function completionOf(received: readonly Uint8Array[], key: string): { completion?: Completion } {
  const bytes = Buffer.concat(received)
  if (bytes.length === 0) return {}
  if (isUtf8(bytes))
    return { completion: hideStreamed(bytes.toString('utf8'), (text) => withoutKey(text, key)) }
  return { completion: Buffer.from(withoutKey(bytes.toString('latin1'), key), 'latin1') }
}

/** A key shorter than any real one is a placeholder such as "none", a word that answers may hold. */
const withoutKey = (text: string, key: string): string =>
  key.length < MODEL_KEY_CHARS_MIN ? text : text.replaceAll(key, '[key]')

/** A streamed key comes in parts, and is whole only in the answer made of them. */
function withoutKeyIn<T extends object>(answer: T, key: string): T {
  const inJson = JSON.stringify(key).slice(1, -1)
  const text = JSON.stringify(answer)
  return withoutKey(text, inJson) === text ? answer : JSON.parse(withoutKey(text, inJson))
}
