import { TwotrackError } from '../errors.ts'
import { MODEL_ANSWER_BYTES_MAX } from '../limits.ts'
import { type Attempt, faultOf, modelFault } from './faults.ts'

/** Where a model server is, and how long one attempt may take. */
export interface Endpoint {
  readonly url: string
  readonly secrets: readonly string[]
  readonly deadlineMs: number
}

export function endpointOf(url: string, deadlineMs: number, apiKey?: string): Endpoint {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TwotrackError(
      'bad_argument',
      `The model server's URL is not an http or https URL. Give one such as http://127.0.0.1:8080/v1.`,
    )
  }
  if (parsed.username || parsed.password) {
    throw new TwotrackError(
      'bad_argument',
      `The URL of the model server at ${parsed.host} holds a user name or password. Give the key as apiKey.`,
    )
  }
  return { url: url.replace(/\/$/, ''), secrets: apiKey ? [apiKey] : [], deadlineMs }
}

/**
 * Runs one attempt under the deadline and the caller's signal. `connect` is a `fetch` that follows no redirect
 * and gives no more than the limit of bytes; whatever goes wrong comes out as a `model_fault` or as the
 * caller's reason for giving up.
 */
export async function attempt<T>(
  endpoint: Endpoint,
  signal: AbortSignal,
  work: (connect: typeof fetch, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const deadline = AbortSignal.timeout(endpoint.deadlineMs)
  let answering = false
  const connect: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    answering = true
    return bounded(response)
  }
  try {
    return await work(connect, AbortSignal.any([signal, deadline]))
  } catch (thrown) {
    signal.throwIfAborted()
    throw faultOf(deadline.aborted ? deadline.reason : thrown, known(endpoint, answering))
  }
}

function known({ url, secrets, deadlineMs }: Endpoint, answering: boolean): Attempt {
  const { origin, pathname } = new URL(url)
  const server = pathname === '/' ? origin : `${origin}${pathname}`
  return { server, deadlineMs, secrets, answering, now: Date.now() }
}

/** The same response, ending in an error once it is longer than the limit, decompressed bytes counted. */
function bounded(response: Response): Response {
  if (!response.body) return response
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes <= MODEL_ANSWER_BYTES_MAX) controller.enqueue(chunk)
        else controller.error(tooLong())
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}

const tooLong = () =>
  modelFault(
    { kind: 'bad_answer', retry: false },
    `A model server's answer is over the limit of ${MODEL_ANSWER_BYTES_MAX} bytes and was not read further.`,
  )
