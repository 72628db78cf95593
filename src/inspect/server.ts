import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { codeOf, type ErrorCode, messageOf, TwotrackError } from '../errors.ts'
import { exported } from './export.ts'
import { HEADERS, strangerRefusal, tokenRefusal } from './guard.ts'
import { type InspectOptions, type Inspector, inspector, unlisted } from './inspector.ts'
import { pageFiles } from './page-files.ts'
import { type Answered, answer } from './routes.ts'

/** Where a person finds it first; another free port where this one is taken. */
const PORT_DEFAULT = 7333

export interface InspectServerOptions extends InspectOptions {
  readonly port?: number
}

/** A page that is served, until it is closed. */
export interface InspectServer {
  readonly port: number
  readonly token: string
  /** With the token, to open. */
  readonly url: string
  /** The same for one agent. */
  urlOf(agentId: string): string
  close(): Promise<void>
}

/** Serves the inspector to this machine alone. */
export async function serveInspector(options: InspectServerOptions): Promise<InspectServer> {
  const token = randomBytes(24).toString('base64url')
  const own = inspector(options)
  const files = await pageFiles()
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo // it is listening
    handle(request, response, { own, files, token, port }).catch((thrown: unknown) => fail(response, thrown))
  })
  // A request that wants another protocol is answered like any other, and ends there.
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  const wanted = options.port ?? PORT_DEFAULT
  await listen(server, wanted).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'EADDRINUSE' && options.port === undefined) return listen(server, 0)
    own.close()
    throw new TwotrackError(
      'bad_argument',
      `Port ${wanted} can’t be used (${messageOf(thrown)}). Give another, or none: then a free one is taken.`,
      { cause: thrown },
    )
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/#token=${token}`
  return {
    port,
    token,
    url,
    urlOf: (agentId) => `http://127.0.0.1:${port}/#/agent/${encodeURIComponent(agentId)}?token=${token}`,
    async close() {
      own.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** One file that holds the page and all of a run. */
export async function exportPage(
  options: InspectOptions,
  agentId: string,
  how: { readonly redact: boolean },
): Promise<Uint8Array> {
  const own = unlisted(options)
  try {
    return await exported(own, agentId, how)
  } finally {
    own.outputs.close()
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

interface Serving {
  readonly own: Inspector
  readonly files: Awaited<ReturnType<typeof pageFiles>>
  readonly token: string
  readonly port: number
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { own, files, token, port }: Serving,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  const refused = strangerRefusal(request, port)
  if (refused) return send(response, refused.status, { error: refused.message })
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    return send(response, 405, { error: 'This is asked with GET or POST.' })
  if (!path.startsWith('/api/')) {
    const file = request.method === 'POST' ? undefined : files.get(path)
    if (!file) return send(response, 404, { error: 'There is no such page.' })
    response.setHeader('content-type', file.type)
    response.end(file.bytes)
    return
  }
  const unknown = tokenRefusal(request, token)
  if (unknown) return send(response, unknown.status, { error: unknown.message })
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const asked = { method: request.method ?? '', path, query: new URLSearchParams(query), signal: gone.signal }
  const body = request.method === 'POST' ? await bodyOf(request) : undefined
  const canWait = /\/(?:live|blind)$/.test(path)
  const answered = canWait ? () => {} : own.index.ask()
  response.on('close', answered)
  await reply(request, response, await answer(own, { ...asked, body }))
}

async function reply(request: IncomingMessage, response: ServerResponse, answered: Answered | undefined) {
  if (answered === undefined) return send(response, 404, { error: 'There is nothing at this address.' })
  if ('json' in answered) return send(response, 200, answered.json, request)
  if ('bytes' in answered) {
    response.setHeader('content-type', 'application/octet-stream')
    const name = answered.name.replace(/[^\w.-]+/g, '_')
    response.setHeader('content-disposition', `attachment; filename="${name}"`)
    if (answered.bytes instanceof Uint8Array) response.end(answered.bytes)
    else await written(response, answered.bytes)
    return
  }
  response.setHeader('content-type', 'application/x-ndjson')
  response.flushHeaders()
  await written(response, lined(answered.each))
}

async function* lined(all: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const one of all) yield `${JSON.stringify(one)}\n`
}

async function written(response: ServerResponse, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const part of parts) {
    if (!response.write(part)) await drained(response)
    if (response.destroyed) return
  }
  response.end()
}

/** Until there is space for more, or nobody listens any more. */
const drained = (response: ServerResponse): Promise<unknown> =>
  Promise.race(['drain', 'close'].map((name) => new Promise((resolve) => response.once(name, resolve))))

const COMPRESSED_FROM_CHARS = 4_096
const compressed = promisify(gzip)

async function send(response: ServerResponse, status: number, json: unknown, request?: IncomingMessage) {
  if (response.headersSent) return
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  const text = JSON.stringify(json)
  const isSmall = text.length < COMPRESSED_FROM_CHARS
  if (isSmall || !/\bgzip\b/.test(String(request?.headers['accept-encoding'] ?? ''))) {
    response.end(text)
    return
  }
  response.setHeader('content-encoding', 'gzip')
  response.end(await compressed(text, { level: 1 }))
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  missing: 404,
  bad_argument: 400,
  untrusted: 403,
  locked: 409,
  conflict: 409,
  limit: 413,
}

function fail(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const known = thrown instanceof TwotrackError ? thrown : undefined
  send(response, (known && STATUS[known.code]) ?? 500, { error: messageOf(thrown) }).catch(() => {})
}

const BODY_BYTES_MAX = 256 * 1024

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX)
      throw new TwotrackError('limit', `More than ${BODY_BYTES_MAX} bytes were sent.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
