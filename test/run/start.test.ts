import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Event } from '../../src/core/event/event.ts'
import type { JsonObject } from '../../src/core/event/json.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import { scripted } from '../../src/model/scripted.ts'
import { acceptProposal } from '../../src/run/accept.ts'
import type { AgentOptions } from '../../src/run/agent-options.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineSummarizer } from '../../src/summarize/summarizer.ts'
import { fileTools } from '../../src/tool/files.ts'
import { success } from '../../src/tool/result.ts'
import { scriptTool } from '../../src/tool/sandbox/script-tool.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { memoryHub } from '../hub/memory-hub.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  effect: 'pure',
  input: z.strictObject({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => `${a} + ${b} = ${a + b}`,
})
const done = { tool: 'submit_result', args: { summary: 'It is 5.' } }
const asking = { tool: 'add', args: { a: 2, b: 3 } }

const start = (options: Partial<AgentOptions>) =>
  startAgent({
    goal: 'Add 2 and 3.',
    store: memoryStore(),
    model: scripted([asking, done]),
    tools: [add],
    ...options,
  })

async function eventsOf({ store, agent_id }: { store: AgentOptions['store']; agent_id: string }) {
  const events: Event[] = []
  for await (const event of store.read(agent_id)) events.push(event)
  return events
}

describe('an agent of one file', () => {
  test('runs with own tool, summarizer and model, and needs no workspace', async () => {
    const sum = defineSummarizer({
      name: 'sum',
      summarize: ({ text }) => ({ summary: text, knowledge: { sum: Number(text.split('= ')[1]) } }),
    })
    const report = await start({ summarizers: { add: sum } })
    expect(report.stop).toEqual({ reason: 'submitted', summary: 'It is 5.' })
    expect(report.result).toEqual({ summary: 'It is 5.' })
    expect(report.packet.knowledge['sum']?.value).toBe(5)
    expect(report).toMatchObject({ turns: 2, changes: [] })
    expect(report.events).toBeGreaterThan(8)
    expect(report.raw_bytes).toBe('2 + 3 = 5'.length + '{"summary":"It is 5."}'.length)
    expect(report.prompt_tokens_max).toBeLessThan(report.prompt_tokens)
  })

  test('the same id goes on with its log, and one that was over tells its result again', async () => {
    const store = memoryStore()
    const first = await start({ store, agentId: 'a', limits: { turnsMax: 1 } })
    expect(first.stop.reason).toBe('turn_limit')
    expect(first.result).toBeUndefined()
    const second = await start({ store, agentId: 'a', model: scripted([done]) })
    expect(second).toMatchObject({ turns: 2, result: { summary: 'It is 5.' } })
    const third = await start({ store, agentId: 'a', model: scripted([]) })
    expect(third).toMatchObject({ stop: second.stop, result: second.result, events: second.events })
  })

  test('the result has the shape that was asked for', async () => {
    const submit = z.strictObject({ sum: z.number() })
    const wrong = { tool: 'submit_result', args: { sum: 'five' } }
    const right = { tool: 'submit_result', args: { sum: 5 } }
    expect((await start({ submit, model: scripted([wrong, right]) })).result).toEqual({ sum: 5 })
  })

  test('two tools of one name are refused before anything is written', async () => {
    const store = memoryStore()
    await expect(start({ store, tools: [add, add] })).rejects.toThrow('The tool add is there twice')
    expect(await store.list()).toEqual([])
  })

  test('a tool that needs files says so when there is no workspace', async () => {
    const write = { tool: 'write_file', args: { path: 'a.txt', content: 'x' } }
    const store = memoryStore()
    const { agent_id } = await start({ store, tools: fileTools, model: scripted([write, done]) })
    const result = (await eventsOf({ store, agent_id })).find(({ type }) => type === 'tool_result')
    expect(result?.data).toMatchObject({
      outcome: 'error',
      error: expect.stringContaining('startAgent({ workspace })'),
    })
  })
})

describe('what a tool says', () => {
  const resultsOf = async (tools: AgentOptions['tools'], call: { tool: string; args: JsonObject }) => {
    const store = memoryStore()
    const { agent_id } = await start({
      store,
      tools: tools ?? [],
      recall: true,
      model: scripted([call, done]),
    })
    return (await eventsOf({ store, agent_id })).flatMap((event) =>
      event.type === 'tool_result' ? [event.data] : [],
    )
  }

  test('beside its result is recorded with it, also by a script, and is bounded', async () => {
    const source = `export default async (_, { log }) => {
      await log('first'); await log({ second: 2 }); await log('x'.repeat(100_000)); return 'done' }`
    const talks = scriptTool({
      name: 'talks',
      description: 'Talks.',
      effect: 'pure',
      input: z.strictObject({}),
      source,
      externals: ['log'],
      limits: 'permissive',
    })
    const store = memoryStore()
    const model = scripted([{ tool: 'talks' }, done])
    const { agent_id, packet } = await start({ store, tools: [talks], model })
    const result = (await eventsOf({ store, agent_id })).find(({ type }) => type === 'tool_result')
    if (!result) throw new Error('no result')
    expect(await fieldOf(store, result, 'raw_output')).toBe('done')
    const log = String(await fieldOf(store, result, 'log'))
    expect(log).toMatch(/^first\n\{"second":2\}\nx+$/)
    expect(log).toHaveLength(64 * 1024)
    expect(JSON.stringify(packet)).not.toContain('second')
  })

  test('a ref that is no action is an error of recall, not a success', async () => {
    const [wrong] = await resultsOf([add], { tool: 'recall', args: { ref: 1, query: 'x' } })
    expect(wrong).toMatchObject({ outcome: 'error', error: expect.stringContaining('no action with ref 1') })
    const [beyond] = await resultsOf([add], { tool: 'recall', args: { ref: 9_999, query: 'x' } })
    expect(beyond?.outcome).toBe('error')
  })
})

describe('a workspace', () => {
  const write = { tool: 'write_file', args: { path: 'a.txt', content: 'new\n' } }
  const folderWithText = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'twotrack-start-'))
    await writeFile(join(folder, 'a.txt'), 'old\n')
    return folder
  }

  test('can be a folder that the tools work in', async () => {
    const workspace = await folderWithText()
    await start({ workspace, tools: fileTools, model: scripted([write, done]) })
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  })

  test('can be a copy of a project, whose changes are accepted later', async () => {
    const project = await folderWithText()
    const store = memoryStore()
    const place = { project, folder: join(project, '.agentfs') }
    const { changes, agent_id } = await start({
      store,
      workspace: place,
      tools: fileTools,
      model: scripted([write, done]),
    })
    expect(changes.map(({ path }) => path)).toEqual(['a.txt'])
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('old\n')
    await acceptProposal({ ...place, store, agentId: agent_id })
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('new\n')
  })
})

describe('candidates', () => {
  const step = defineTool({
    name: 'step',
    description: 'Goes on.',
    effect: 'pure',
    input: z.strictObject({ at: z.int() }),
    run: ({ at }) => success(at, `step ${at}`, { [`fact_${at}`]: 'x'.repeat(400), at: at + 1 }),
  })

  test('rules count and look up over the whole state, however little the packet shows', async () => {
    const { stop, turns, packet } = await start({
      tools: [step],
      model: firstCandidate(),
      packetSizeLimit: 400,
      limits: { turnsMax: 60 },
      contextProviders: [() => ({ at: 0 })],
      candidates: [
        {
          when: { called_below: { step: 30 }, known: ['at'] },
          tool: 'step',
          args: { at: '{{at}}' },
          reason: 'go on',
        },
        {
          when: { known: ['fact_0', 'fact_29'], last: { tool: 'step', outcome: 'success' } },
          tool: 'submit_result',
          args: { summary: 'all {{at}} steps' },
          reason: 'done',
        },
      ],
    })
    expect(stop).toEqual({ reason: 'submitted', summary: 'all 30 steps' })
    expect(turns).toBe(31)
    expect(packet.knowledge['fact_0']).toBeUndefined()
  })

  test('can be a function of the state', async () => {
    const { stop } = await start({
      tools: [step],
      model: firstCandidate(),
      candidates: ({ calls, actions }) => [
        calls['step'] === 0
          ? { tool: 'step', args: { at: 7 }, reason: 'once' }
          : { tool: 'submit_result', args: { summary: actions.at(-1)?.summary ?? '' }, reason: 'done' },
      ],
    })
    expect(stop.summary).toBe('step 7')
  })
})

describe('what is around an agent', () => {
  test('a context provider that throws is an event, and the others are asked', async () => {
    const store = memoryStore()
    const { agent_id, packet } = await start({
      store,
      contextProviders: [
        () => {
          throw new Error('no wiki')
        },
        async ({ node }) => ({ about: node.id }),
      ],
    })
    expect(packet.knowledge['about']?.value).toBe('-')
    const errors = (await eventsOf({ store, agent_id })).filter(({ type }) => type === 'agent_error')
    expect(errors.map(({ data }) => data)).toEqual([{ where: 'context', message: 'no wiki' }])
  })

  test('a hub that is opened here is closed here; one that can not be opened is an event', async () => {
    let closed = 0
    const hub = { ...memoryHub([]), close: async () => void closed++ }
    await start({ hub })
    expect(closed).toBe(0)
    await start({ hub: async () => hub })
    expect(closed).toBe(1)
    const store = memoryStore()
    const { stop, agent_id } = await start({ store, hub: () => Promise.reject(new Error('no hub today')) })
    expect(stop.reason).toBe('submitted')
    const errors = (await eventsOf({ store, agent_id })).filter(({ type }) => type === 'agent_error')
    expect(errors.map(({ data }) => data)).toEqual([{ where: 'hub', message: 'no hub today' }])
  })

  test('onEvent gets every event in order; one that throws is recorded and not called again', async () => {
    const store = memoryStore()
    const seen: number[] = []
    const { agent_id } = await start({ store, onEvent: ({ seq }) => void seen.push(seq) })
    const events = await eventsOf({ store, agent_id })
    expect(seen).toEqual(events.map(({ seq }) => seq))
    let called = 0
    const report = await start({
      store,
      agentId: 'b',
      onEvent: () => {
        called++
        throw new Error('the view is gone')
      },
    })
    expect(report.stop.reason).toBe('submitted')
    expect(called).toBe(1)
    const errors = (await eventsOf({ store, agent_id: 'b' })).filter(({ type }) => type === 'agent_error')
    expect(errors.map(({ data }) => data)).toEqual([{ where: 'onEvent', message: 'the view is gone' }])
  })

  test('a signal stops it, and it can be resumed', async () => {
    const store = memoryStore()
    const stopping = new AbortController()
    const model = scripted(() => {
      stopping.abort()
      return asking
    })
    const cut = await start({ store, agentId: 'a', model, signal: stopping.signal })
    expect(cut.stop.reason).toBe('cancelled')
    const { stop } = await start({ store, agentId: 'a', model: scripted([done]) })
    expect(stop.reason).toBe('submitted')
  })
})
