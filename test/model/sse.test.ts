import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventData } from '../../src/model/sse.ts'

async function* chunked(bytes: Uint8Array, ends: readonly number[] = []): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(from, end)
    from = end
  }
}
async function read(text: string | Uint8Array, ends?: readonly number[]): Promise<string[]> {
  const found: string[] = []
  for await (const data of eventData(chunked(Buffer.from(text), ends))) found.push(data)
  return found
}

describe('server-sent events', () => {
  test.each([
    ['one a block', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['lines that end in CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['lines that end in CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['data of several lines', 'data: {\ndata:  "a"\ndata\ndata:}\n\n', ['{\n "a"\n\n}']],
    ['no space after the colon, or two', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['comments, other fields and blank lines', ': ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n\n\n', ['a']],
    ['fields whose names only begin alike', 'database: x\ndata: a\n\n', ['a']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['no blank line after the last', 'data: a\n\ndata: b', ['a', 'b']],
    ['line separators that JSON may hold', 'data: a\u2028b\u0085c\n\n', ['a\u2028b\u0085c']],
    ['an empty stream', '', []],
  ])('%s', async (_what, text, expected) => expect(await read(text)).toEqual(expected))

  const seed = Number(process.env['SEED'] ?? 20260214)
  test(`however a stream is cut into chunks, it says the same (seed ${seed})`, async () => {
    const part = fc.constantFrom('data:', 'data: ', 'Grüße 東京 🙂', ':', '\n', '\r', '\r\n', '\n\n', 'x')
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.array(fc.nat(200)), async (parts, places) => {
        const bytes = Buffer.from(parts.join(''))
        const ends = places.filter((place) => place < bytes.length).sort((a, b) => a - b)
        const whole = await read(bytes)
        expect(await read(bytes, ends)).toEqual(whole)
        expect(await read(bytes, [...bytes.keys()])).toEqual(whole)
      }),
      { seed, numRuns: 300 },
    )
  })

  test('a line of megabytes in small chunks takes linear time', async () => {
    const bytes = Buffer.from(`data: ${'x'.repeat(2_000_000)}\n\n`)
    const ends = Array.from({ length: bytes.length / 50 - 1 }, (_, at) => (at + 1) * 50)
    expect((await read(bytes, ends))[0]).toHaveLength(2_000_000)
  })
})
