/** What goes over the hub's socket: one line of JSON there, one back, then it is closed. */

import { chmodSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { z } from 'zod'
import { tryParse } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { HUB_ANSWER_MS_MAX, HUB_MESSAGE_BYTES_MAX, HUB_NODES_MAX, ID_CHARS_MAX } from '../../limits.ts'
import { type HubAnswer, stateSchema } from '../hub.ts'

const key = z.string().max(ID_CHARS_MAX)

const requestSchema = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('pull'),
    nodes: z.array(key).max(HUB_NODES_MAX),
    workspace: z.string().optional(),
    paths: z.array(z.string()).optional(),
  }),
  z.strictObject({ op: z.literal('status') }),
  z.strictObject({ op: z.literal('stop') }),
])
type Request = z.infer<typeof requestSchema>

export const answerSchema = z.strictObject({
  states: z.array(stateSchema),
  missing: z.array(z.string()),
  freshness: z.string(),
  source: z.string(),
}) satisfies z.ZodType<HubAnswer>

export const statusSchema = z.strictObject({
  pid: z.int(),
  project: z.string(),
  started_at: z.string(),
  /** `indexing` until all files were looked at once. */
  state: z.enum(['indexing', 'fresh']),
  files: z.int(),
  nodes: z.int(),
  /** Files that can't be parsed now: their last good state is kept. */
  unparsed: z.int(),
  /** Changed paths that were heard of and not yet taken in. */
  pending: z.int(),
  /** Undefined where files are watched; otherwise why not. */
  unwatched: z.string().optional(),
})
export type HubStatus = z.infer<typeof statusSchema>

const replySchema = z.union([z.strictObject({ value: z.unknown() }), z.strictObject({ error: z.string() })])

/** The first line that comes in; rejects when the other side ends before, or says too much. */
const readLine = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    socket.on('data', (part: Buffer) => {
      const end = part.indexOf(0x0a)
      parts.push(end === -1 ? part : part.subarray(0, end))
      size += part.length
      if (end !== -1) resolve(Buffer.concat(parts).toString())
      else if (size > HUB_MESSAGE_BYTES_MAX) reject(new Error('the message is too long'))
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the connection ended before an answer')))
  })

/** Throws `io` when there is no hub or it does not answer in time, `bad_argument` when it refuses. */
export const ask = async (
  path: string,
  request: Request,
  {
    signal,
    deadline_ms = HUB_ANSWER_MS_MAX,
  }: { signal?: AbortSignal | undefined; deadline_ms?: number } = {},
): Promise<unknown> => {
  const ends = AbortSignal.any([AbortSignal.timeout(deadline_ms), ...(signal ? [signal] : [])])
  const socket = createConnection(path)
  const giveUp = () => socket.destroy(new Error(`no answer within ${deadline_ms} ms`))
  ends.addEventListener('abort', giveUp)
  try {
    const line = readLine(socket)
    socket.write(`${JSON.stringify(request)}\n`)
    const reply = replySchema.parse(tryParse(await line))
    if ('error' in reply) throw new TwotrackError('bad_argument', reply.error)
    return reply.value
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof TwotrackError) throw cause
    throw new TwotrackError('io', `The hub does not answer (${messageOf(cause)}).`, { cause })
  } finally {
    ends.removeEventListener('abort', giveUp)
    socket.destroy()
  }
}

/** Answers on a local socket that only this user can reach. A bad request gets a reason; it never ends the server. */
export const listen = async (
  path: string,
  answer: (request: Request) => Promise<unknown>,
): Promise<{ close(): Promise<void> }> => {
  const sockets = new Set<Socket>()
  const serve = async (socket: Socket) => {
    try {
      const request = requestSchema.parse(tryParse(await readLine(socket)))
      const value = await answer(request)
      socket.end(`${JSON.stringify({ value })}\n`)
    } catch (thrown) {
      socket.end(`${JSON.stringify({ error: messageOf(thrown) })}\n`)
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    void serve(socket)
  })
  const isPipe = process.platform === 'win32'
  if (!isPipe) rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  if (!isPipe) chmodSync(path, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroySoon()
        if (!isPipe) rmSync(path, { force: true })
      }),
  }
}
