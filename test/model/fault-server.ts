import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tryParse } from '../../src/core/event/json.ts'

/** One request that came in, and the means to answer it. */
export interface Exchange {
  readonly path: string
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
  readonly response: ServerResponse
  readonly socket: Socket
}
/** Answers a request, well or badly. `replies.ts` has one for each kind of fault. */
export type Reply = (exchange: Exchange) => void | Promise<void>

export interface FaultServer {
  /** Without a path: `/v1` is added by whoever speaks to the chat API. */
  readonly url: string
  readonly requests: readonly Pick<Exchange, 'path' | 'body' | 'headers'>[]
  /** Resolves once so many requests have come in. */
  received(count: number): Promise<void>
  /** Breaks every connection at once, as a killed process would, and stops listening. */
  kill(): Promise<void>
}

/**
 * A real HTTP server on loopback that does as it is told. The script is a list, of which the last entry
 * answers whatever comes after, or a function of how many requests went before.
 */
export async function startFaultServer(options: {
  script: readonly Reply[] | ((index: number) => Reply)
  tls?: { key: string; cert: string }
}): Promise<FaultServer> {
  const { script, tls } = options
  const requests: Exchange[] = []
  const sockets = new Set<Socket>()
  const waiting: { count: number; resolve: () => void }[] = []
  const replyAt = (index: number) =>
    typeof script === 'function' ? script(index) : (script[index] ?? script.at(-1))

  const listen = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = tryParse(Buffer.concat(chunks).toString('utf8'))
    const { url: path = '', headers, socket } = request
    const exchange = { path, body, headers, response, socket }
    const index = requests.push(exchange) - 1
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    await replyAt(index)?.(exchange)
  }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {}) // a client that gave up
    listen(request, response).catch(() => response.destroy())
  }
  const server = tls ? createTlsServer(tls, handle) : createServer(handle)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    received: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.resetAndDestroy()
      }),
  }
}
