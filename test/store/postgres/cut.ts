import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** What was asked before a connection falls silent has its answer by then. */
const ANSWERED_MS = 500

/**
 * Stands between a store and its server, and cuts connections: where `cut` says so of what the store sends, before it
 * reaches the server, or after the server has done it and before the store hears of it. One that is `silent` is
 * answered once more and stays open, as where a network is gone.
 */
export async function cutting(
  folder: string,
  cut: (sent: Buffer) => 'before' | 'after' | 'silent' | undefined,
) {
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(join(folder, '.s.PGSQL.5432'))
    let deaf = false
    let silent = false
    const both = [client, server]
    const end = () => {
      for (const socket of both) socket.destroy()
    }
    for (const socket of both) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    client.on('data', (sent) => {
      const when = cut(sent)
      if (when === 'before') return end()
      deaf ||= when === 'after'
      if (!silent) server.write(sent)
      if (when === 'silent') setTimeout(() => (silent = true), ANSWERED_MS)
    })
    server.on('data', (answer) => {
      if (deaf) end()
      else if (!silent) client.write(answer)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(join(folder, '.s.PGSQL.6000'), resolve))
  return {
    url: `postgres://twotrack@localhost:6000/twotrack?host=${folder}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
