import { execFile, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json } from '../../src/summarize/json/json.ts'
import type { SeenCall } from '../../src/testing/summarizer.ts'
import { learned } from './learned.ts'

const learn = (text: string, call: SeenCall = {}) => {
  const { said, outcome, about, lines } = learned(json, { text, ...call })
  return { said, outcome, about, lines }
}
const orders = Array.from({ length: 12 }, (_, at) => ({
  note: null,
  currency: 'EUR',
  total: 10.5 + at,
  status: at % 2 ? 'open' : 'paid',
  order_id: `A-${at + 1}`,
}))

describe('a list of records', () => {
  test('stands one a line, its fields named once, ids first', () => {
    expect(learn(JSON.stringify(orders))).toEqual({
      said: '12 orders, each with order_id, total, status from tool',
      outcome: 'success',
      about: '12 orders, each order_id | total | status',
      lines: [
        'all: currency: EUR',
        ...orders.map((order) => `${order.order_id} | ${order.total} | ${order.status}`),
      ],
    })
  })

  test('is found inside its envelope, and what else that says is kept', () => {
    const { said, lines } = learn(JSON.stringify({ page: 1, next: '/orders?page=2', items: orders }))
    expect(said).toMatch(/^12 items, each with order_id/)
    expect(lines[0]).toBe('page: 1, next: /orders?page=2')
  })

  test('one a line in NDJSON, its last line cut short', () => {
    const text = `${orders.map((order) => JSON.stringify(order)).join('\n')}\n{"order_id": "A-1`
    expect(learn(text).said).toMatch(/^12 orders/)
  })

  test('names inside its values are said once too', () => {
    const text = JSON.stringify([
      { flight: 'HX1', prices: { low: 51, high: 121 } },
      { flight: 'HX2', prices: { low: 87, high: 100 } },
    ])
    expect(learn(text)).toMatchObject({
      about: '2 records, each flight | prices {low, high}',
      lines: ['HX1 | {51, 121}', 'HX2 | {87, 100}'],
    })
  })

  test('in groups keeps the number of the group', () => {
    const { about, lines } = learn('[[{"leg_id": "a"}, {"leg_id": "b"}], [{"leg_id": "c"}]]')
    expect(about).toBe('3 legs in 2 groups, each leg_id')
    expect(lines).toEqual(['1. a', '1. b', '2. c'])
  })

  test('with long text has it behind the rows', () => {
    const text = 'A long story about this. '.repeat(12)
    const { lines } = learn(
      JSON.stringify([
        { id: 7, title: 'x', body: text },
        { id: 8, title: 'y', body: text },
      ]),
    )
    expect(lines.slice(0, 2)).toEqual(['7 | x', '8 | y'])
    expect(lines[2]).toMatch(/^7 body: A long story/)
  })

  test('that is empty is said to be', () => {
    expect(learn('[]').said).toBe('Nothing: an empty list from tool')
    expect(learn('{}').said).toBe('Nothing: an empty object from tool')
  })
})

describe('one record', () => {
  const user = {
    bio: 'Writes. '.repeat(40),
    address: { city: 'Oslo', street: 'Kirkegata 15', zip: '0153', country: 'Norway', floor: null },
    cards: { card_1: { id: 'card_1', last_four: '7447' }, card_2: { id: 'card_2', last_four: '1907' } },
    nick: null,
    email: 'ann@x.example',
    user_id: 'ann_1',
  }

  test('is told by its ids; nested values have their path; empty ones come last', () => {
    const { said, lines } = learn(JSON.stringify(user))
    expect(said).toBe('email ann@x.example, user_id ann_1 and 3 more fields from tool')
    expect(lines[0]).toBe('email: ann@x.example, user_id: ann_1')
    expect(lines).toContain('cards: {id: card_2, last_four: 1907}')
    expect(lines).toContain('address: {city: Oslo, street: Kirkegata 15, zip: 0153, country: Norway}')
    expect(lines.at(-1)).toBe('empty: nick')
    expect(lines.every((line) => line.length <= 132)).toBe(true)
  })

  test('says how it stands', () => {
    const text =
      '{"order_id": "A-7", "user_id": "u1", "total": 3, "created_at": "2024-05-01", "status": "cancelled"}'
    expect(learn(text).said).toMatch(/^order_id A-7, status cancelled, user_id u1 and 2 more fields/)
  })

  test('that holds a list is still that record', () => {
    const text = JSON.stringify({
      reservation_id: 'Q69',
      flights: [{ n: 'HX1' }, { n: 'HX2' }, { n: 'HX3' }],
    })
    expect(learn(text).said).toMatch(/^reservation_id Q69 and 1 more field/)
  })

  test('a tool that gives structure needs no text', () => {
    expect(learn('', { output: { id: 3, status: 'ready' } }).said).toBe('id 3, status ready from tool')
  })
})

describe('errors that an answer states', () => {
  test.for([
    [
      { error: 'invalid_grant', error_description: 'The code has expired.' },
      'invalid_grant: The code has expired.',
    ],
    [{ error: { code: 40401, message: 'No such order' } }, '40401 No such order'],
    [{ errors: [{ path: ['user', 'name'], message: 'is required' }] }, 'user.name is required'],
    [
      { type: 'about:blank', title: 'Out of credit', status: 403, detail: 'Balance is 30.' },
      'Out of credit: Balance is 30.',
    ],
    [{ success: false, message: 'Quota exceeded' }, 'Quota exceeded'],
  ] as const)('%j', ([body, words]) => {
    expect(learn(JSON.stringify(body))).toMatchObject({
      said: `Error "${words}" from tool`,
      outcome: 'error',
    })
  })

  test('no error where nothing failed', () => {
    expect(learn('{"message": "hello", "error": null, "errors": []}').outcome).toBe('success')
  })

  test('GraphQL with data and errors worked in part', () => {
    expect(learn('{"data": {"me": {"id": 1}}, "errors": [{"message": "no friends"}]}').outcome).toBe(
      'partial',
    )
  })
})

describe.skipIf(spawnSync('curl', ['--version']).error !== undefined)('HTTP, through a real curl', () => {
  let server: Server
  let url = ''
  const curl = async (...args: string[]) => {
    const { stdout, stderr } = await promisify(execFile)('curl', args)
    return { text: stderr + stdout, args: { command: `curl ${args.map((arg) => `'${arg}'`).join(' ')}` } }
  }
  beforeAll(async () => {
    server = createServer((request, response) => {
      const send = (status: number, headers: Record<string, string>, body: string) =>
        response.writeHead(status, headers).end(body)
      if (request.url === '/orders') send(200, { 'content-type': 'application/json' }, JSON.stringify(orders))
      else if (request.url === '/old') send(302, { location: '/orders' }, '')
      else if (request.url === '/gone') send(204, { 'x-request-id': 'r-77' }, '')
      else if (request.url === '/text')
        send(200, { 'content-type': 'text/plain', 'set-cookie': 'sid=secret' }, 'pong')
      else send(404, { 'content-type': 'application/problem+json' }, '{"title": "Not here", "status": 404}')
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    url = `http://127.0.0.1:${address.port}`
  })
  afterAll(() => server.close())

  test('the status stands before the shape', async () => {
    const { text, args } = await curl('-i', '-s', `${url}/orders`)
    expect(learn(text, { tool: 'shell', args }).said).toMatch(
      /^HTTP 200 OK, 12 orders, each with order_id, total/,
    )
  })

  test('what curl -v says of its own work is left out', async () => {
    const { text, args } = await curl('-v', `${url}/orders`)
    const { said, lines } = learn(text, { tool: 'shell', args })
    expect(said).toMatch(/^HTTP 200 OK, 12 orders/)
    expect(lines.join('\n')).not.toMatch(/Connected|bytes data|User-Agent/)
    expect(lines).toContain('content-type: application/json')
  })

  test('after a redirect the last response counts', async () => {
    const { text, args } = await curl('-i', '-s', '-L', `${url}/old`)
    expect(learn(text, { tool: 'shell', args }).said).toMatch(/^HTTP 200 OK, 12 orders/)
  })

  test('a problem is an error', async () => {
    const { text, args } = await curl('-i', '-s', `${url}/nowhere`)
    expect(learn(text, { tool: 'shell', args })).toMatchObject({
      said: expect.stringMatching(/^HTTP 404 Not Found, "Not here" from \$ curl/),
      outcome: 'error',
    })
  })

  test('a status printed behind the body is read', async () => {
    const { text, args } = await curl('-s', '-w', '\n%{http_code}', `${url}/nowhere`)
    expect(learn(text, { tool: 'shell', args })).toMatchObject({
      said: expect.stringMatching(/^HTTP 404, "Not here"/),
      outcome: 'error',
    })
  })

  test('a response without JSON is told by its status and its headers; cookies keep their secret', async () => {
    const none = await curl('-i', '-s', `${url}/gone`)
    expect(learn(none.text, { args: none.args })).toMatchObject({
      said: expect.stringMatching(/^HTTP 204 No Content from/),
      lines: expect.arrayContaining(['x-request-id: r-77']),
    })
    const plain = await curl('-i', '-s', `${url}/text`)
    const { lines } = learn(plain.text, { args: plain.args })
    expect(lines[0]).toBe('pong')
    expect(lines).toContain('set-cookie: sid=…')
  })
})

describe('what is no answer of an API', () => {
  test.for([
    'plain text',
    '[INFO] starting\n[INFO] done',
    '{ "a": 1, }',
    '',
    '127.0.0.1 - "GET / HTTP/1.1" 200',
  ])('%j', (text) => {
    expect(learn(text).said).toBeUndefined()
  })

  test('a file that was written', () => {
    expect(learn('{"ok": true}', { args: { path: 'a.json', content: '{}' } }).said).toBeUndefined()
  })
})
