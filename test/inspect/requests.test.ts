import { existsSync, readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InspectServer, serveInspector } from '../../src/inspect/server.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { jsonLines } from '../cli/run.ts'

const CASES = fileURLToPath(
  new URL('../../../shared/corpora/web/inspector-request-cases.jsonl', import.meta.url),
)

interface Case {
  readonly id: string
  readonly method: string
  readonly host: string
  readonly origin: string | null
  readonly sec_fetch_site: string | null
  readonly token: 'valid' | 'missing' | 'wrong' | 'expired' | 'in_query_string' | 'empty' | 'none'
  readonly expect: number
  readonly path?: string
  readonly content_type?: string
  readonly upgrade?: string
}

let server: InspectServer
let before: InspectServer
beforeAll(async () => {
  const options = { store: memoryStore(), folder: '.', port: 0 }
  before = await serveInspector(options)
  server = await serveInspector(options)
})
afterAll(async () => {
  await before.close()
  await server.close()
})

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A request as it is written, whatever a browser or `fetch` would make of it. */
function send(path: string, method: string, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers, setHost: false })
    asked.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('upgrade', () => reject(new Error('it was upgraded')))
    asked.on('error', reject)
    asked.end()
  })
}

/** The port of the recorded cases is ours now. */
const here = (text: string) =>
  text.replaceAll('7333', String(server.port)).replaceAll('7334', String(server.port + 1))
const own = () => ({ host: here('127.0.0.1:7333'), authorization: `Bearer ${server.token}` })

describe.skipIf(!existsSync(CASES))('recorded requests (needs ../shared/corpora)', () => {
  const cases = existsSync(CASES) ? (jsonLines(readFileSync(CASES, 'utf8')) as Case[]) : []
  test.each(cases)('$id: $expect', async (one) => {
    const tokens: Partial<Record<Case['token'], string>> = {
      valid: server.token,
      wrong: `${server.token}x`,
      expired: before.token,
      empty: '',
    }
    const token = tokens[one.token]
    const headers = {
      host: here(one.host),
      ...(one.origin === null ? {} : { origin: here(one.origin) }),
      ...(one.sec_fetch_site === null ? {} : { 'sec-fetch-site': one.sec_fetch_site }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(one.content_type === undefined ? {} : { 'content-type': one.content_type }),
      ...(one.upgrade === undefined
        ? {}
        : {
            connection: 'Upgrade',
            upgrade: one.upgrade,
            'sec-websocket-version': '13',
            'sec-websocket-key': 'AAAA',
          }),
    }
    const path = one.path ?? `/api/agents${one.token === 'in_query_string' ? `?token=${server.token}` : ''}`
    const { status, headers: replied } = await send(path, one.method, headers)
    expect(status).toBe(one.expect)
    expect(Object.keys(replied).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

describe('what is served', () => {
  test('the page itself holds no data and needs no token; every answer forbids what was not asked for', async () => {
    const { status, headers, text } = await send('/', 'GET', { host: here('127.0.0.1:7333') })
    expect(status).toBe(200)
    expect(text).not.toContain(server.token)
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' })
  })

  test('a link from another site leads to the page, and to nothing else', async () => {
    const link = {
      host: here('127.0.0.1:7333'),
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect((await send('/', 'GET', link)).status).toBe(200)
    expect((await send('/api/agents', 'GET', { ...link, ...own() })).status).toBe(403)
    expect((await send('/', 'GET', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403)
  })

  test('nothing can be changed unless it was started for that', async () => {
    const { status, text } = await send('/api/agent/x/act', 'POST', {
      ...own(),
      'content-type': 'application/json',
    })
    expect(status).toBe(403)
    expect(text).toContain('--allow-actions')
  })

  test('what was asked for wrongly is told', async () => {
    expect((await send('/api/agent/none', 'GET', own())).status).toBe(404)
    expect((await send('/api/agents?from=-1', 'GET', own())).status).toBe(400)
    expect((await send('/api/agent/%zz', 'GET', own())).status).toBe(404)
    expect((await send('/api/agents', 'DELETE', own())).status).toBe(405)
  })
})
