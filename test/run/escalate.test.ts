import { expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Draft } from '../../src/core/event/event.ts'
import { seal } from '../../src/core/event/line.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import { estimate } from '../../src/core/tokens/estimate.ts'
import { readerOf } from '../../src/core/view/reader.ts'
import { scripted } from '../../src/model/scripted.ts'
import { bundleOf, renderBundle } from '../../src/run/bundle.ts'
import { readRunState } from '../../src/run/state.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { AGENT, counted, countingTools, inFormat, run, submits } from './agent-run.ts'

const same = { tool: 'look', args: { what: 'same' } }
const { tools } = countingTools()
const named = (name: string, ...answers: string[]) => ({
  ...scripted(answers.map((text) => ({ text }))),
  name,
})

test('advice reaches the model in every context, and a loop is counted anew', async () => {
  for (const context of ['packet', 'messages', 'both'] as const) {
    const prompts: string[] = []
    const small = scripted((request, index) => {
      prompts.push(JSON.stringify([request.prompt.text, request.messages]))
      return index < 3 ? same : submits
    })
    const escalation = named('large', 'Read src/other.py:12 instead.')
    const { stop, of } = await run({ tools, model: inFormat(small, 'chat/1'), escalation, context })
    expect(stop.reason).toBe('submitted')
    expect(of('escalation')).toHaveLength(2)
    expect(prompts[2]).not.toContain('src/other.py:12')
    expect(prompts[3]).toContain('Read src/other.py:12 instead.')
  }
})

test('what the larger model is asked is a request like any other, and verified', async () => {
  const escalation = { ...inFormat(named('large', 'Look elsewhere.'), 'chat/1'), name: 'large' }
  const model = scripted((_, index) => (index < 3 ? same : submits))
  const { store, of } = await run({ tools, model, escalation })
  const [request] = of('model_request').filter(({ data }) => data.purpose === 'escalation')
  if (!request) throw new Error('no request')
  expect(request.data).toMatchObject({ model: 'large', format: 'chat/1' })
  expect(String(await fieldOf(store, request, 'prompt'))).toContain('An agent needs help')
  // The totals are of the agent's own prompts.
  const own = of('model_request').filter(({ data }) => data.purpose === 'turn')
  const { agent } = await readRunState(store, AGENT)
  expect(agent?.prompt_tokens).toBe(own.reduce((sum, { data }) => sum + data.prompt_tokens, 0))
  const other = await relogged(store, (draft) =>
    draft.type === 'model_request' && draft.data.purpose === 'escalation'
      ? { ...draft, data: { ...draft.data, prompt_sha256: sha256('forged') } }
      : draft,
  )
  const { findings } = await verifyLog(other, AGENT)
  expect(findings.map(({ what }) => what)).toContain(
    'the prompt of the larger model does not follow from the bundle before it',
  )
})

/** The same log, sealed again with a change in one of its events. */
async function relogged(store: Store, change: (draft: Draft) => Draft): Promise<Store> {
  const other = memoryStore()
  const writer = await other.open(AGENT)
  for await (const event of store.read(AGENT)) {
    const { type, data, delta, raw } = event
    for (const { sha256: digest, media } of Object.values(raw?.blobs ?? {}))
      await other.putBlob(await getBlob(store, digest), media)
    const draft = { type, data, ...(delta ? { delta } : {}), ...(raw ? { raw } : {}) } as Draft
    const sealed = seal(
      change(draft),
      { ...event, prev: writer.head.hash, nonces: sampleNonces(`${event.seq}`) },
      sha256,
    )
    await writer.append([sealed], event.seq - 1)
  }
  await writer.close()
  return other
}

test('advice at the turn limit gives five more turns, twice at most', async () => {
  const small = () =>
    scripted(({ prompt: { packet } }) => ({ tool: 'look', args: { what: `${packet.turn}` } }))
  const limits = { turnsMax: 3 }
  const escalation = named('large', 'Go on.', 'Go on still.')
  const { stop, of } = await run({ tools, model: small(), escalation, limits })
  expect(stop).toMatchObject({
    reason: 'escalated',
    summary: expect.stringContaining('large was asked 2 times'),
  })
  expect(of('turn_start')).toHaveLength(3 + 5 + 5)
})

test('a larger model that fails is asked again like any other, and the run ends as escalated', async () => {
  const fault = { kind: 'server_error', retry: true } as const
  const escalation = { ...counted(scripted(() => ({ fault }))), name: 'large' }
  const { stop, of, waits } = await run({ tools, model: scripted(() => same), escalation })
  expect(stop).toMatchObject({
    reason: 'escalated',
    summary: expect.stringMatching(
      /^loop: the same call with the same result 3 times in a row: look \{.*\} → .* done\.; large gave no answer$/,
    ),
  })
  expect(of('agent_error').map(({ data }) => [data.where, data.code, data.retry])).toEqual([
    ['escalation', 'server_error', true],
    ['escalation', 'server_error', true],
    ['escalation', 'server_error', false],
  ])
  expect(waits).toHaveLength(2)
  expect(of('escalation')).toHaveLength(1)
})

test('an empty answer is none', async () => {
  const { stop } = await run({ tools, model: scripted(() => same), escalation: named('large', ' \n') })
  expect(stop.reason).toBe('escalated')
})

test('Ctrl-C while the larger model is asked ends the run as cancelled', async () => {
  const stopping = new AbortController()
  const escalation = {
    ...scripted(() => {
      stopping.abort()
      throw new Error('aborted')
    }),
    name: 'large',
  }
  const { stop } = await run({ tools, model: scripted(() => same), escalation, signal: stopping.signal })
  expect(stop.reason).toBe('cancelled')
})

test('a model that failed or a result that was handed in is not escalated', async () => {
  const escalation = counted(scripted([{ text: 'advice' }]))
  const failing = scripted([{ fault: { kind: 'unauthorized', retry: false } }])
  expect((await run({ model: failing, escalation })).stop.reason).toBe('model_failed')
  expect((await run({ model: scripted([submits]), escalation })).stop.reason).toBe('submitted')
  expect(escalation.asked).toBe(0)
})

test('the bundle keeps every budget, from the least that is possible on', async () => {
  const model = scripted((_, index) => ({
    tool: 'look',
    args: { what: `src/part_${index % 40}.py:${index}` },
  }))
  const { store } = await run({ tools, model, limits: { turnsMax: 60 } })
  const reader = readerOf(estimate)
  let least = 0
  let largest = 0
  for (let tokens = 10; tokens <= 4_000; tokens = Math.ceil(tokens * 1.3)) {
    const bundle = await bundleOf(store, AGENT, 'turn_limit', reader, tokens).catch(() => undefined)
    if (!bundle) {
      least = tokens
      continue
    }
    const size = estimate.count(renderBundle(bundle))
    expect(size).toBeLessThanOrEqual(tokens)
    expect(size).toBeGreaterThanOrEqual(largest * 0.8)
    largest = Math.max(largest, size)
  }
  expect(least).toBeGreaterThan(0)
  expect(least).toBeLessThan(100)
})
