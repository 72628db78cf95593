import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { TwotrackError } from '../../../src/errors.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import type { Summarizer } from '../../../src/summarize/summarizer.ts'
import { begin, call, eventsOf } from './begin.ts'

describe('recording', () => {
  test('many at once keeps their order', async () => {
    const store = memoryStore()
    const memory = await begin({ store })
    const notes = Array.from({ length: 50 }, (_, at) => `note ${at}`)
    // Every third one is large, so that it waits for its blob.
    const drafts = notes.map(
      (note, at): Draft =>
        at % 3 === 0
          ? { type: 'model_response', data: { model: note, text: 'x'.repeat(50_000) } }
          : { type: 'correction', data: { by: 't', note } },
    )
    const events = await Promise.all(drafts.map((draft) => memory.record(draft)))
    expect(events.map(({ seq }) => seq)).toEqual(notes.map((_, at) => at + 2))
    const stored = (await eventsOf(store)).slice(1)
    expect(
      stored.map(({ data }) => ('note' in data ? data.note : 'model' in data ? data.model : '')),
    ).toEqual(notes)
  })

  test('a bad draft is refused, changes nothing, and the next one is fine', async () => {
    const store = memoryStore()
    const memory = await begin({ store })
    const bad = [
      { type: 'correction', data: { by: 't' } },
      { type: 'nonsense', data: {} },
      { type: 'constructor', data: {} },
      { type: 'correction', data: { by: 't', note: 'n' }, delta: { update_knowledge: { a: Number.NaN } } },
      { type: 'correction', data: { by: 't', note: 'n' }, delta: { set_extension: { unknown: 1 } } },
    ] as unknown as Draft[]
    for (const draft of bad) {
      await expect(memory.record(draft)).rejects.toBeInstanceOf(TwotrackError)
    }
    expect(memory.head.seq).toBe(1)
    expect((await memory.correct('t', 'fine', { update_knowledge: { a: 1 } })).seq).toBe(2)
    expect(await eventsOf(store)).toHaveLength(2)
  })

  test('turns never go back', async () => {
    const memory = await begin()
    await memory.startTurn()
    await memory.startTurn()
    const back = memory.record({ type: 'turn_start', data: {}, turn: 1 })
    await expect(back).rejects.toMatchObject({
      code: 'bad_event',
      message: expect.stringContaining('turn 2'),
    })
  })

  test('what was recorded before close is on disk after it; what comes later is refused', async () => {
    const store = memoryStore()
    const memory = await begin({ store })
    const recorded = Promise.all([memory.startTurn(), memory.correct('t', 'n', {})])
    await memory.close()
    await memory.close()
    await recorded
    expect((await eventsOf(store)).map(({ type }) => type)).toEqual(['run_start', 'turn_start', 'correction'])
    await expect(memory.startTurn()).rejects.toMatchObject({ code: 'closed' })
  })

  test('after a failed append it refuses, says why, and reopening continues from the disk', async () => {
    const store = memoryStore()
    let broken = false
    const failing: Store = Object.assign(Object.create(store), {
      open: async (agent: string) => {
        const writer = await store.open(agent)
        return {
          get head() {
            return writer.head
          },
          close: () => writer.close(),
          append: (...args: Parameters<typeof writer.append>) =>
            broken ? Promise.reject(new TwotrackError('io', 'disk full')) : writer.append(...args),
        }
      },
    })
    for (const method of ['head', 'read', 'putBlob', 'readBlob'] as const)
      Object.assign(failing, { [method]: store[method].bind(store) })
    const memory = await begin({ store: failing })
    await memory.correct('t', 'kept', { update_knowledge: { a: 1 } })
    const { packet } = memory
    broken = true
    const both = await Promise.allSettled([
      memory.correct('t', 'lost', { update_knowledge: { a: 2 } }),
      memory.correct('t', 'lost too', { update_knowledge: { a: 3 } }),
    ])
    expect(both[0]).toMatchObject({ reason: { message: 'disk full' } })
    expect(both[1]).toMatchObject({ status: 'rejected' })
    broken = false
    await expect(memory.startTurn()).rejects.toMatchObject({
      code: 'io',
      message: expect.stringMatching(/an append failed \(disk full\).*open it again/),
    })
    expect(memory.packet).toBe(packet)
    await memory.close()
    const again = await Memory.open({ store, agentId: 'a' })
    expect(again.head.seq).toBe(2)
    expect(await again.startTurn()).toBe(1)
  })

  test('grouped events are folded at once and written together by a flush, or by closing', async () => {
    const store = memoryStore()
    const memory = await begin({ store, grouped: true })
    const [followed, observed]: [number[], number[]] = [[], []]
    memory.follow(({ seq }) => followed.push(seq))
    memory.observe(({ seq }) => observed.push(seq))
    await memory.startTurn()
    await memory.correct('t', 'n', { update_knowledge: { a: 1 } })
    expect(memory.packet.knowledge['a']?.value).toBe(1)
    expect([followed, observed]).toEqual([[2, 3], []])
    expect(await store.head('a')).toBeUndefined()
    await memory.flush()
    expect(observed).toEqual([1, 2, 3])
    expect(await eventsOf(store)).toHaveLength(3)
    await memory.startTurn()
    await memory.close()
    expect(await eventsOf(store)).toHaveLength(4)
  })

  test('a flush whose append fails says so, and every later one', async () => {
    const store = memoryStore()
    const failing: Store = {
      ...store,
      open: async (agent) => {
        const { append, ...writer } = await store.open(agent)
        const first = { append: (...args: Parameters<typeof append>) => append(...args) }
        return {
          ...writer,
          append: (events, seq) =>
            seq === 0 ? first.append(events, seq) : Promise.reject(new TwotrackError('io', 'disk full')),
        }
      },
    }
    const memory = await begin({ store: failing, grouped: true })
    await memory.flush()
    await memory.startTurn()
    await expect(memory.flush()).rejects.toThrow('disk full')
    await expect(memory.flush()).rejects.toThrow(/an append failed \(disk full\)/)
    await expect(memory.startTurn()).rejects.toThrow(/an append failed \(disk full\)/)
    await memory.close()
    expect(await eventsOf(store)).toHaveLength(1)
  })

  test('a summarizer that cannot be recorded costs its summary, not the raw output', async () => {
    const store = memoryStore()
    const wrong = [
      { summary: 7 },
      { summary: 'x', knowledge: { n: Number.NaN } },
      { summary: 'x', knowledge: { huge: 'y'.repeat(10_000_000) } },
      { summary: 'x', outcome: 'maybe' },
    ]
    for (const [at, answer] of wrong.entries()) {
      const summarizer = { name: `wrong-${at}`, summarize: () => answer } as unknown as Summarizer
      const memory = await begin({ store, agentId: `a${at}`, summarizers: { shell: summarizer } })
      const event = await call(memory, 'the output')
      expect(event.raw).toMatchObject({ raw_output: 'the output' })
      expect(event.data).toMatchObject({ summarizer: expect.stringContaining('wrong-') })
      expect(memory.packet.recent_actions).toHaveLength(1)
    }
  })
})
