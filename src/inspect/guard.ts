import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403
  readonly message: string
}

/**
 * Whether a request comes from our own page, or from a program of this person: the name that it was sent to is ours (a
 * page of another site can't rebind its own name to this machine), and so is the page that sent it. Undefined lets it in.
 */
export function strangerRefusal(request: IncomingMessage, port: number): Refusal | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!hosts.includes(host)) return { status: 403, message: 'This address is not that of the inspector.' }
  if (request.headers.upgrade !== undefined) return { status: 403, message: 'Nothing is upgraded here.' }
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: 'Another page may not ask.' }
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isLinkToPage(request))
    return { status: 403, message: 'Another site may not ask.' }
  // What changes something is asked by our page, and says so; or by a program, which has the token and no origin.
  if (request.method === 'POST' && !isJson(request))
    return { status: 403, message: 'What is sent here is application/json.' }
  return undefined
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  /^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')

/** Somebody followed a link to the page itself, which holds no data. It can't stand in a frame. */
const isLinkToPage = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  url === '/' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document'

/** The token stands in a header alone: what stands in an address is kept in histories and sent on. */
export function tokenRefusal({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (timingSafeEqual(digest(given), digest(token))) return undefined
  return { status: 401, message: 'Open the address that "twotrack inspect" printed: it holds the key.' }
}

/** Of every answer. Scripts and styles are files of our own; images are made of bytes that were asked for with the token. */
export const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
} as const
