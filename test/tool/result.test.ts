import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toJson } from '../../src/core/event/json.ts'
import { TwotrackError } from '../../src/errors.ts'
import { assertToolResult, error, partial, success } from '../../src/tool/result.ts'
import { defineTool, toolFromJsonSchema } from '../../src/tool/tool.ts'
import { wrapResult } from '../../src/tool/wrap.ts'

describe('the contract', () => {
  test('success, partial and error keep it', () => {
    for (const result of [
      success({ files: 3 }, 'Read 3 files', { files: 3 }),
      success(null, 'Done'),
      partial([1], 'Found 1 issue'),
      error('no such file'),
      error('x'.repeat(5_000)),
      error('😀'.repeat(400)),
    ])
      expect(() => assertToolResult(result)).not.toThrow()
    expect(error('no such file')).toMatchObject({ outcome: 'error', error: 'no such file', result: null })
    expect(error('😀'.repeat(400)).summary.isWellFormed()).toBe(true)
  })

  test('assertToolResult says what is wrong and what to do', () => {
    const wrong: [unknown, RegExp][] = [
      [null, /the top/],
      ['text', /the top/],
      [{ result: 1, summary: '', knowledge_delta: {}, outcome: 'success' }, /summary/],
      [{ result: 1, summary: 's'.repeat(301), knowledge_delta: {}, outcome: 'success' }, /summary/],
      [{ result: 1, summary: 's', knowledge_delta: null, outcome: 'success' }, /knowledge_delta/],
      [{ result: 1, summary: 's', knowledge_delta: {}, outcome: 'fine' }, /outcome/],
      [{ result: () => 1, summary: 's', knowledge_delta: {}, outcome: 'success' }, /result/],
    ]
    for (const [value, where] of wrong) {
      const check = () => assertToolResult(value)
      expect(check).toThrow(TwotrackError)
      expect(check).toThrow(where)
      expect(check).toThrow(/success\(\), partial\(\), error\(\)/)
    }
  })

  test('its parts are taken apart: the result is raw, the rest is what the packet learns', () => {
    expect(wrapResult(success({ b: 1, a: 2 }, 'Did it', { k: 1 }))).toEqual({
      text: '{"a":2,"b":1}',
      output: { b: 1, a: 2 },
      outcome: 'success',
      own: { summary: 'Did it', knowledge: { k: 1 } },
    })
    expect(wrapResult(error('no such file'))).toMatchObject({ outcome: 'error', error: 'no such file' })
    expect(wrapResult(success('text', 's'))).toMatchObject({ text: 'text', outcome: 'success' })
    expect(wrapResult(partial('text', 's'))).toMatchObject({ text: 'text', outcome: 'partial' })
  })

  test('it may state all that a summarizer can', () => {
    const stated = {
      supersedes: ['old'],
      diagnostics: [null, 'a.py:1 wrong'],
      focus: { place: 'a.py:1', text: 'x = 1' },
      extensions: { todo: [1] },
      files: [{ kind: 'write' as const, path: 'a.py', text: 'x = 1\n' }],
      plan: [{ id: '1', text: 'Fix it', status: 'open' as const }],
    }
    const { own } = wrapResult(partial(null, 'Found 1', { n: 1 }, { ...stated, state_summary: '1 left' }))
    expect(own).toEqual({ summary: 'Found 1', knowledge: { n: 1 }, ...stated, stateSummary: '1 left' })
    expect(wrapResult(success(null, 'None', {}, { focus: null })).own).toEqual({
      summary: 'None',
      focus: null,
    })
    // A part that is not of its form costs the others nothing.
    const odd = Object.assign(success(1, 's'), { diagnostics: 'x', supersedes: ['a'] })
    expect(wrapResult(odd).own).toEqual({ summary: 's', supersedes: ['a'] })
  })

  test('foreign JSON of the same shape is data: it states nothing', () => {
    const made = partial(
      { n: 1 },
      'All fine',
      { goal: 'mine' },
      { supersedes: ['theirs'], diagnostics: [null] },
    )
    const foreign: unknown = JSON.parse(JSON.stringify(made))
    expect(wrapResult(foreign)).toMatchObject({ own: {}, output: foreign })
    expect(wrapResult({ result: foreign }).own).toEqual({})
    expect(wrapResult(success(toJson(made), 'Fetched')).own).toEqual({ summary: 'Fetched' })
    expect(() => assertToolResult(foreign)).toThrow(/shape alone.*success\(\)/)
    expect(() => assertToolResult({ ...made, result: 2 })).not.toThrow()
  })

  test('an empty or null delta is no delta, so that the summarizer is asked', () => {
    for (const knowledge_delta of [{}, null, undefined, 'x', []])
      expect(wrapResult({ ...success(1, 's'), knowledge_delta }).own).toEqual({ summary: 's' })
  })

  test('what says more than the contract is kept whole', () => {
    expect(wrapResult({ result: 1, summary: 's', extra: 'kept' }).text).toContain('"extra":"kept"')
    const long = wrapResult(error(`${'e'.repeat(10_000)}end`))
    expect(long.text).toContain('end')
    expect(long).toMatchObject({ outcome: 'error' })
    expect(long.error?.length).toBeLessThan(5_000)
  })

  test('one that holds itself is no trap', () => {
    const result: Record<string, unknown> = { summary: 's' }
    result['result'] = result
    expect(wrapResult(result).text).toContain('[circular]')
  })
})

describe('anything else is wrapped, never rejected', () => {
  test.each([
    ['', ''],
    ['text', 'text'],
    [0, '0'],
    [-0, '0'],
    [false, 'false'],
    [null, 'null'],
    [undefined, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [Number.NaN, 'NaN'],
    [10n ** 20n, '100000000000000000000'],
    [Symbol('s'), 'Symbol(s)'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([['a', 1]]), '{"a":1}'],
    [new Set(['a', 'b']), '["a","b"]'],
    [{ big: 1n, fn: () => 1, none: undefined }, '{"big":"1"}'],
    [new URL('https://example.org/a'), 'https://example.org/a'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])('as %#', (value, text) => {
    expect(wrapResult(value)).toMatchObject({ text, outcome: 'success', own: {} })
  })

  test('an Error is an error, whatever its message is', () => {
    expect(wrapResult(new RangeError('too far'))).toMatchObject({ outcome: 'error', error: 'too far' })
    expect(wrapResult(new RangeError('too far')).text).toContain('RangeError: too far')
    expect(wrapResult(new TypeError())).toMatchObject({ outcome: 'error', error: 'TypeError' })
    const odd = Object.assign(new Error('x'), { message: { deep: 1 }, stack: 7 })
    expect(wrapResult(odd)).toMatchObject({ outcome: 'error', error: '[object Object]' })
  })

  test('bytes that are text are text; others stay bytes', () => {
    expect(wrapResult(Buffer.from('héllo\n'))).toEqual({ text: 'héllo\n', outcome: 'success', own: {} })
    expect(wrapResult(Buffer.from('\ufeffx')).text).toBe('\ufeffx')
    const bytes = Buffer.from([0x61, 0xff, 0x62])
    expect(wrapResult(bytes)).toMatchObject({ bytes, text: 'a\ufffdb' })
  })

  test('values that hold themselves, many times over, end', () => {
    const self: Record<string, unknown> = {}
    Object.assign(self, { a: self, b: self, c: [self, self] })
    expect(wrapResult(self).text).toContain('[circular]')
    const ring = Array.from({ length: 40 }, (): Record<string, unknown> => ({}))
    for (const node of ring) for (const [at, other] of ring.entries()) node[`n${at}`] = other
    expect(wrapResult(ring[0]).text).toContain('[repeated]')
    let shared: unknown = 'x'
    for (let level = 0; level < 40; level++) shared = [shared, shared]
    expect(wrapResult(shared).text.length).toBeGreaterThan(0)
  })

  test('code of the tool’s own that throws is said, not thrown', () => {
    const getter = {
      get value(): string {
        throw new Error('lazy')
      },
    }
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('closed')
        },
      },
    )
    expect(wrapResult(getter).text).toContain('lazy')
    expect(wrapResult(proxy).text).toContain('closed')
    expect(wrapResult({ inside: [getter] }).text).toContain('lazy')
  })

  test('an error is read in the many ways it is said', () => {
    const cases: [Record<string, unknown>, string | undefined][] = [
      [{ error: true, message: 'disk full' }, 'disk full'],
      [{ error: true }, 'the tool reported an error without a message'],
      [{ error: 'no such file' }, 'no such file'],
      [{ error: { message: 'inner', code: 4 } }, 'inner'],
      [{ error: { code: 4 } }, '{"code":4}'],
      [{ error: 404 }, '404'],
      [{ status: 'error', message: 'bad' }, 'bad'],
      [{ status: 'FAILED' }, 'the tool reported an error without a message'],
      ...[null, false, '', 0, [], {}, undefined].map((none): [Record<string, unknown>, undefined] => [
        { error: none },
        undefined,
      ]),
      [{ status: 500 }, undefined],
      [{ status: null, message: 5 }, undefined],
    ]
    for (const [value, message] of cases) {
      const wrapped = wrapResult(value)
      expect([wrapped.outcome, wrapped.error], JSON.stringify(value)).toEqual(
        message === undefined ? ['success', undefined] : ['error', message],
      )
    }
    expect(wrapResult({ status: 'partial' }).outcome).toBe('partial')
    expect(wrapResult({ outcome: 'partial', count: 1 }).outcome).toBe('partial')
  })

  test('MCP results: text, structure, images, errors', () => {
    const text = (words: string) => ({ type: 'text', text: words })
    expect(wrapResult({ content: [text('a'), text('b')] })).toMatchObject({
      text: 'a\nb',
      outcome: 'success',
    })
    expect(wrapResult({ content: [text('a')], structuredContent: { n: 1 } })).toMatchObject({
      output: { n: 1 },
    })
    expect(wrapResult({ content: [text('boom')], isError: true })).toMatchObject({
      outcome: 'error',
      error: 'boom',
    })
    expect(wrapResult({ content: [], isError: true }).error).toBeTruthy()
    expect(wrapResult({ content: [{ type: 'image', data: 'AAAA' }] }).text).toContain('AAAA')
    // Looks like it, but says more: nothing of it may be lost.
    expect(wrapResult({ content: [], path: 'src/a.ts' }).text).toContain('src/a.ts')
  })

  test('an MCP result of a later version: its keys are kept, and isError counts', () => {
    const content = [{ type: 'text', text: 'no such table' }]
    const failed = wrapResult({ resultType: 'complete', content, isError: true })
    expect(failed).toMatchObject({ outcome: 'error', error: 'no such table', shown: 'no such table' })
    expect(failed.text).toContain('"resultType":"complete"')
    expect(wrapResult({ resultType: 'complete', content, isError: false }).outcome).toBe('success')
  })
})

const context = { workspace: '/', node: { id: '-', type: 'task' }, signal: AbortSignal.timeout(60_000) }

describe('a tool that declares to return tool results', () => {
  const run = async (returned: unknown, returns?: 'tool_result') => {
    const tool = defineTool({
      name: 'lint',
      description: 'Lints.',
      effect: 'pure',
      input: z.strictObject({}),
      run: () => returned,
      ...(returns ? { returns } : {}),
    })
    return wrapResult(await tool.run({}, context))
  }
  const founding = {
    result: { issues: 2 },
    summary: 'Found 2 issues',
    knowledge_delta: { issues: 2 },
    outcome: 'partial',
  }

  test('may give them as plain objects, and they count; of any other tool they are data', async () => {
    expect(await run(founding, 'tool_result')).toMatchObject({
      outcome: 'partial',
      output: { issues: 2 },
      own: { summary: 'Found 2 issues', knowledge: { issues: 2 } },
    })
    expect((await run(founding)).own).toEqual({})
    const failed = { outcome: 'error', error: 'no config', summary: 'Could not lint' }
    expect(await run(failed, 'tool_result')).toMatchObject({ outcome: 'error', error: 'no config' })
  })

  test('may give data with a _summary; all of it stays in the raw output', async () => {
    const data = { _summary: 'Found 2 issues', issues: [{ code: 'F401' }] }
    const wrapped = await run(data, 'tool_result')
    expect(wrapped).toMatchObject({ own: { summary: 'Found 2 issues' }, output: data, outcome: 'success' })
    expect((await run({ ...founding, extra: 1 }, 'tool_result')).text).toContain('"extra":1')
  })

  test('data without words stays data', async () => {
    for (const value of [{ issues: 2 }, 'text', null, [founding], new Error('no')])
      expect((await run(value, 'tool_result')).own ?? {}).toEqual({})
  })
})

test('a tool from a JSON Schema checks its arguments by it and shows it as it is', async () => {
  const parameters = {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  }
  const tool = toolFromJsonSchema({
    ...{ name: 'read', description: 'Reads.', effect: 'pure', parameters },
    run: (args) => args['path'],
  })
  expect(tool.parameters).toBe(parameters)
  expect(tool.check({ path: 'a' }).ok).toBe(true)
  expect(tool.check({ path: 1 })).toMatchObject({ ok: false, message: expect.stringContaining('path') })
  expect(await tool.run({ path: 'a' }, context)).toBe('a')
  expect(() => toolFromJsonSchema({ ...tool, parameters: { type: 'string' }, run: () => null })).toThrow(
    'type: object',
  )
})
