import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/event/json.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { success } from '../../../src/tool/result.ts'

/** What a caller without types can give: none of these is JSON, and some have no end. */
function circle(): Json {
  const one: { [name: string]: Json } = { a: 1 }
  one['self'] = one
  return one
}
const sparse = (): Json => Object.assign([], { length: 4_000_000_000, 3999999999: 1 }) as Json[]
/** Forty values, written out a million millions. */
function doubled(): Json {
  let value: Json = 'x'
  for (let level = 0; level < 40; level++) value = [value, value]
  return value
}
const throwing = (): Json => ({
  get secret(): string {
    throw new Error('not today')
  },
})

const opened = () => Memory.open({ store: memoryStore(), agentId: 'a', goal: 'Go.' })

test.each<[string, () => Json, unknown]>([
  ['one that holds itself', circle, '{"a":1,"self":"[circular]"}'],
  [
    'a list with four billion holes',
    () => ({ list: sparse() }),
    { list: { 3999999999: 1, length: 4_000_000_000 } },
  ],
  ['one whose getter throws', throwing, '[unreadable: not today]'],
  [
    'numbers that are none',
    () => ({ not: Number.NaN, more: 10n as unknown as Json }),
    { more: '10', not: 'NaN' },
  ],
])('any value is recorded and summarized, as arguments and as a result: %s', async (_, make, kept) => {
  const memory = await opened()
  const read = async (run: () => unknown, args: Json) => {
    await memory.recordToolRun({ tool: 'look', args }, run)
    const [call, result] = [memory.head.seq - 1, memory.head.seq]
    expect(memory.packet.recent_actions.at(-1)).toMatchObject({ outcome: 'success', ref: result })
    return call
  }
  const events: unknown[] = []
  memory.observe((event) => events.push(event.type === 'tool_call' ? event.data.args : event.raw))
  await read(() => 'x', make())
  expect(events[0]).toEqual(kept)
  await read(make, {})
  expect(events[3]).toMatchObject(
    typeof kept === 'string'
      ? { raw_output: kept }
      : { parsed_output: kept, raw_output: JSON.stringify(kept) },
  )
  await read(() => success('x', 'Done.', { value: make() }), {})
  expect(memory.packet.knowledge['value']?.value).toBeDefined()
})

test.each([
  ['one that holds itself', circle],
  ['a list with four billion holes', sparse],
  ['one that is twice in the next, forty times', doubled],
])(
  'what a person or a middleware gives is refused with words, and the log stays as it was: %s',
  async (_, make) => {
    const memory = await opened()
    const before = memory.head
    for (const give of [
      () => memory.correct('me', 'so', { update_knowledge: { x: make() } }),
      () => memory.suggest('me', 'so', { update_knowledge: { x: make() } }),
      () => memory.recordResponse({ model: 'm', calls: [{ call_id: '1', tool: 'x', args: make() }] }),
    ])
      await expect(give()).rejects.toMatchObject({
        code: 'bad_event',
        message: expect.stringContaining('plain JSON'),
      })
    expect(memory.head).toEqual(before)
  },
)

test('bytes in whatever form are recorded as they are', async () => {
  const memory = await opened()
  const texts: unknown[] = []
  memory.observe((event) => event.type === 'tool_result' && texts.push(event.raw?.['raw_output']))
  const bytes = new TextEncoder().encode('plain words')
  for (const form of [bytes, Buffer.from(bytes), bytes.buffer.slice(0)])
    await memory.recordToolRun({ tool: 'look', args: {} }, () => form)
  expect(texts).toEqual(['plain words', 'plain words', 'plain words'])
})
