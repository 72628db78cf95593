import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { postgresStore } from '../../../src/store/postgres/postgres.ts'
import { collect, write } from '../../../src/testing/store-cases/case.ts'
import { postgresServer } from '../../postgres-server.ts'
import { cutting } from './cut.ts'

const server = await postgresServer()
const isThere = typeof server !== 'string'
if (!isThere) console.warn(`skipped: listening ${server}`)
else afterAll(server.dispose)

test.skipIf(!isThere)(
  'is told of appends again after the network of the connection that listens was gone',
  async () => {
    const url = isThere ? server.url : ''
    let listens = 0
    const proxy = await cutting(new URL(url).searchParams.get('host') ?? '', (sent) => {
      if (!sent.includes('LISTEN')) return undefined
      return ++listens === 1 ? 'silent' : undefined
    })
    const store = postgresStore({ url: proxy.url, project: randomUUID() })
    await write(store, 'agent', 1)
    const stop = new AbortController()
    const tailing = collect(store.tail('agent', { signal: stop.signal }))
    await expect.poll(() => listens, { timeout: 120_000 }).toBe(2)
    stop.abort()
    await tailing
    await store.close()
    await proxy.close()
  },
)
