import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Draft, Event } from '../../src/core/event/event.ts'
import { seal } from '../../src/core/event/line.ts'
import { stateAt } from '../../src/core/memory/at.ts'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import type { Model } from '../../src/model/model.ts'
import { type ScriptedAnswer, scripted } from '../../src/model/scripted.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { defineTool, type Tool } from '../../src/tool/tool.ts'
import { AGENT, countingTools, inFormat, type Ran, run, submits } from './agent-run.ts'

/** What the model says in each turn: a function of the packet alone, as every model's answer is. */
const answers = [
  { text: 'first', calls: [{ call_id: 'a', tool: 'look', args: { what: 'one' } }] },
  {
    text: '',
    calls: [
      { call_id: 'a', tool: 'put', args: { what: 'two' } },
      { call_id: 'b', tool: 'send', args: { what: 'three' } },
      { call_id: 'c', tool: 'send', args: { what: 'four' } },
    ],
  },
  { text: 'Let me see.', calls: [] },
  { text: '', calls: [{ call_id: 'a', tool: 'send', args: { what: 'five' } }] },
]
const byTurn = (last: readonly ScriptedAnswer[]): Model =>
  scripted(({ prompt: { packet } }) => [...answers, ...last][packet.turn - 1] ?? submits)

const endings = {
  'a submit call': byTurn([submits]),
  'a result as text': byTurn([{ text: '{"summary":"all done"}' }]),
}

/** The first events of a log, in a store of their own, as a killed process leaves them. */
async function cutAfter(whole: Store, last: number): Promise<Store> {
  const store = memoryStore()
  const writer = await store.open(AGENT)
  for await (const event of whole.read(AGENT, { to: last })) {
    const { seq, type, data, delta, raw } = event
    for (const { sha256: digest, media } of Object.values(raw?.blobs ?? {}))
      await store.putBlob(await getBlob(whole, digest), media)
    const draft = { type, data, ...(delta ? { delta } : {}), ...(raw ? { raw } : {}) } as Draft
    const identity = { ...event, prev: writer.head.hash, nonces: sampleNonces(`${seq}`) }
    const sealed = seal(draft, identity, sha256)
    await writer.append([sealed], seq - 1)
  }
  await writer.close()
  return store
}

/** The packet's facts, without the numbers of the events behind them. */
async function known(store: Store): Promise<unknown> {
  const { state } = await stateAt(store, AGENT, { turn: Number.MAX_SAFE_INTEGER })
  return Object.fromEntries(Object.entries(state.knowledge).map(([key, { value }]) => [key, value]))
}

const sends = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === 'tool_call' && event.data.tool === 'send' ? [JSON.stringify(event.data.args)] : [],
  )

describe.each(Object.entries(endings))('a run that ends with %s', (_, model) => {
  test.each(['packet', 'messages', 'both'] as const)(
    'is cut after each event, context %s',
    async (context) => {
      const chat = inFormat(model, 'chat/1')
      const whole = await run({ tools: countingTools().tools, model: chat, context })
      expect(whole.stop.reason).toBe('submitted')
      for (const event of whole.events) {
        const store = await cutAfter(whole.store, event.seq)
        const { ran, tools } = countingTools()
        const resumed = await run({ tools, model: chat, context, store })
        const where = `cut after event ${event.seq}, ${event.type}`
        expect(resumed.stop, where).toEqual(whole.stop)
        expect(resumed.of('run_end'), where).toHaveLength(1)
        expect(resumed.of('submit_result'), where).toHaveLength(1)
        expect(resumed.of('turn_start').length, where).toBe(whole.of('turn_start').length)
        expect(sends(resumed.events), where).toEqual(sends(whole.events))
        checkEffects(event, whole, resumed, ran, where)
        if (!cutDuringSend(event)) expect(await known(store), where).toEqual(await known(whole.store))
      }
    },
  )
})

const cutDuringSend = (event: Event): boolean => event.type === 'tool_call' && event.data.effect === 'effect'

/** Calls that had a result never run again; of those without, only the ones without an effect do. */
function checkEffects(
  cut: Event,
  whole: Ran,
  resumed: Ran,
  ran: { look: number; put: number; send: number },
  where: string,
): void {
  const later = whole.events.filter(({ seq }) => seq > cut.seq)
  const resultsLater = (tool: string) =>
    later.filter((event) => event.type === 'tool_result' && event.data.tool === tool).length
  expect(ran, where).toEqual({
    look: resultsLater('look'),
    put: resultsLater('put'),
    send: resultsLater('send') - (cutDuringSend(cut) ? 1 : 0),
  })
  const interrupted = resumed.of('tool_result').filter(({ data }) => data.error?.includes('interrupted'))
  expect(interrupted.length, where).toBe(cutDuringSend(cut) ? 1 : 0)
}

test('the packet says of a lost effect that it may have happened', async () => {
  const model = byTurn([submits])
  const whole = await run({ tools: countingTools().tools, model })
  const cut = whole.events.find(cutDuringSend)
  const prompts: string[] = []
  const store = await cutAfter(whole.store, cut?.seq ?? 0)
  const watching = scripted(({ prompt }) => {
    prompts.push(prompt.text)
    return submits
  })
  await run({ tools: countingTools().tools, model: watching, store })
  expect(prompts[0]).toContain('send was interrupted: it may or may not have happened')
})

test('a run that was over stays as it is, however often it is resumed', async () => {
  const { store, events } = await run({ tools: countingTools().tools, model: byTurn([submits]) })
  const again = await run({ tools: countingTools().tools, model: byTurn([submits]), store })
  expect(again.stop).toEqual({ reason: 'submitted', summary: 'all done' })
  expect(again.events).toHaveLength(events.length)
})

test('a turn whose model could not be reached is asked again, in the same turn', async () => {
  const failing = scripted([{ fault: { kind: 'unreachable', retry: false } }])
  const { store } = await run({ model: failing })
  const { stop, of } = await run({ model: scripted([submits]), store })
  expect(stop.reason).toBe('submitted')
  expect(of('turn_start')).toHaveLength(1)
  expect(of('run_end').map(({ data }) => data.reason)).toEqual(['model_failed', 'submitted'])
})

test('a run at its turn limit goes on when it is given more turns, and only then', async () => {
  const { tools } = countingTools()
  const model = scripted(({ prompt: { packet } }) =>
    packet.turn > 3 ? submits : { tool: 'look', args: { what: `${packet.turn}` } },
  )
  const { store } = await run({ tools, model, limits: { turnsMax: 2 } })
  expect((await run({ tools, model, store, limits: { turnsMax: 2 } })).stop.reason).toBe('turn_limit')
  expect((await run({ tools, model, store, limits: { turnsMax: 9 } })).stop.reason).toBe('submitted')
})

test('a loop that a person resumes may go on', async () => {
  const { tools } = countingTools()
  const again = { tool: 'look', args: { what: 'same' } }
  const { store, stop } = await run({ tools, model: scripted([again, again, again, submits]) })
  expect(stop.reason).toBe('loop')
  expect((await run({ tools, model: scripted([again, submits]), store })).stop.reason).toBe('submitted')
})

test.each([
  ['idempotent', 'idempotent', 2],
  ['effect', 'effect', 1],
  ['pure', 'effect', 1],
] as const)(
  'a call that is %s, then %s, and that Ctrl-C cut off runs %i times in all',
  async (before, after, times) => {
    const stopping = new AbortController()
    let ran = 0
    const slow = (effect: Tool['effect']) =>
      defineTool({
        name: 'slow',
        description: 'Is cut off the first time.',
        effect,
        input: z.strictObject({}),
        run: (_, { signal }) => {
          if (++ran > 1) return 'done'
          stopping.abort()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      })
    const model = scripted([{ tool: 'slow' }])
    const { store } = await run({ tools: [slow(before)], model, signal: stopping.signal })
    const { stop, of } = await run({ tools: [slow(after)], model: scripted([submits]), store })
    expect(stop.reason).toBe('submitted')
    expect(ran).toBe(times)
    expect(of('tool_result')[0]?.data.outcome).toBe(after === 'effect' ? 'error' : 'success')
  },
)
