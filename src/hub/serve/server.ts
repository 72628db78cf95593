import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { messageOf } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { type Request, readLine, requestSchema } from './protocol.ts'

interface Listening {
  close(): Promise<void>
}

/** Answers on a local socket that only this user can reach. A bad request gets a reason; it never ends the server. */
export const listen = async (
  path: string,
  answer: (request: Request) => Promise<unknown>,
): Promise<Listening> => {
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
