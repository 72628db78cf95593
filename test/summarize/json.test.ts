import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { jsonAnswer } from '../../src/summarize/json.ts'
import { jsonText } from '../../src/summarize/json-text.ts'
import type { Observation } from '../../src/summarize/summarizer.ts'
import { learned } from './learned.ts'

const ask = (text: string, more: Partial<Observation> = {}) =>
  learned(jsonAnswer, { tool: 'api', text, ...more })
const said = (value: Json) => ask(JSON.stringify(value)).said

describe('JSON as lines', () => {
  test('records alike are rows under their names', () => {
    const flights = [1, 2, 3].map((at) => ({
      flight: `HAT00${at}`,
      price: { low: at, high: null },
      ok: true,
    }))
    expect(jsonText(flights)).toBe(
      'flight | price {low, high} | ok\nHAT001 | {1, null} | true\nHAT002 | {2, null} | true\nHAT003 | {3, null} | true',
    )
  })

  test('what is nested stands below its name, text in its own lines', () => {
    const long = 'x'.repeat(130)
    expect(jsonText({ id: 7, tags: [], note: 'one\n  two', deep: { name: long, list: ['a', long] } })).toBe(
      `id: 7, tags: []\nnote:\n  one\n    two\ndeep:\n  name:\n    ${long}\n  list:\n    - a\n    - ${long}`,
    )
  })

  test('JSON that is written in short lines stays as it is', () => {
    const pretty = JSON.stringify({ a: 1, b: { c: [1, 2, 3] } }, null, 2)
    expect(ask(pretty).output).toBeUndefined()
    expect(ask(JSON.stringify({ a: 1, b: 'x'.repeat(300) })).lines[0]).toBe('a: 1')
  })
})

describe('what an answer says', () => {
  test('its shape', () => {
    expect(
      said([
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ]),
    ).toBe('api: 2 records')
    expect(said({ order_id: 'A-7', status: 'open', items: [{ sku: 'x' }] })).toBe(
      'api: order_id A-7, status open',
    )
    expect(said([])).toBe('api: an empty list')
    expect(said({ ids: ['a', 'b'] })).toBe('api: fields ids')
  })

  test.for([
    [{ error: { code: 40401, message: 'No such order' } }, 'No such order'],
    [
      { error: 'invalid_grant', error_description: 'The code has expired.' },
      'invalid_grant: The code has expired.',
    ],
    [{ errors: [{ path: ['user', 'name'], message: 'is required' }] }, 'is required'],
    [{ success: false, message: 'Quota exceeded' }, 'Quota exceeded'],
    [{ type: 'about:blank', title: 'Out of credit', status: 403, detail: 'Balance is 30.' }, 'Out of credit'],
  ] as const)('an error: %j', ([value, words]) => {
    expect(ask(JSON.stringify(value))).toMatchObject({
      outcome: 'error',
      said: expect.stringContaining(words),
    })
  })

  test('the status of a response comes first', () => {
    const curl = { args: { command: 'curl -i https://a.example/x' } }
    expect(
      ask('HTTP/1.1 404 Not Found\ncontent-type: application/json\n\n{"message":"No such order"}', curl),
    ).toMatchObject({
      outcome: 'error',
      said: expect.stringContaining('HTTP 404 Not Found, "No such order"'),
    })
    const moved = 'HTTP/1.1 301 Moved\nlocation: /y\n\nHTTP/2 200\nvia: x\n\n{"id": 7}'
    expect(ask(moved, curl).said).toContain('HTTP 200, id 7')
  })

  test('structured output needs no text', () => {
    expect(ask('', { output: { id: 'A-7', total: 3 } })).toMatchObject({
      said: 'api: id A-7, total 3',
      lines: ['id: A-7, total: 3'],
    })
  })
})

describe('JSON of any size', () => {
  test('is counted whole and shown from its head', () => {
    const text = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ id: at })))
    const summary = ask(text)
    expect(summary.said).toContain('60,000 records')
    expect(summary.lines.length).toBeLessThan(4_000)
  })

  test('hostile values end in a bounded summary', () => {
    for (const text of [
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"error":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      `{"a":"${'x\\n'.repeat(500_000)}"}`,
      `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
      `{"a":"${'x\\n'.repeat(90_000)}"}`,
    ])
      expect((ask(text).said ?? '').length).toBeLessThan(300)
  })
})
