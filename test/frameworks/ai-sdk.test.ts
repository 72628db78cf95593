import { generateText, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import * as ai6 from 'ai-6'
import { MockLanguageModelV3 } from 'ai-6/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import { withMemory } from '../../src/frameworks/ai-sdk.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { answering, type Content, called, ending } from './ai-model.ts'
import { eventsOf } from './events.ts'

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type)
const sentTo = ({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4) =>
  [...doGenerateCalls, ...doStreamCalls].map(({ prompt }) => prompt)

const readFile = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => {
    if (path === 'gone.ts') throw new Error(`ENOENT: ${path}`)
    return `// ${path}\n`.repeat(200)
  },
})

describe('a model of the AI SDK with a memory', () => {
  test('30 turns: each call of the model sees the packet and no history, none above the budget, and the log verifies', async () => {
    const store = memoryStore()
    const model = answering((turn) =>
      turn <= 30
        ? [
            { type: 'text', text: `Step ${turn}.` },
            called(`c${turn}`, 'readFile', { path: `src/${turn}.ts` }),
          ]
        : [{ type: 'text', text: 'All read.' }],
    )
    const remembered = withMemory({ agentId: 'a', store, model, tools: { readFile }, packetSizeLimit: 1500 })
    const { text, steps } = await generateText({
      ...{ model: remembered.model, tools: remembered.tools, prompt: 'Read all files.', system: 'Be brief.' },
      stopWhen: stepCountIs(50),
    })
    await remembered.close()
    expect(text).toBe('All read.')
    expect(steps).toHaveLength(31)
    expect(steps[3]?.toolResults[0]?.output).toBe('// src/4.ts\n'.repeat(200))
    const sent = sentTo(model)
    expect(sent).toHaveLength(31)
    for (const prompt of sent) {
      expect(prompt.map(({ role }) => role)).toEqual(['system', 'user'])
      expect(JSON.stringify(prompt)).toContain('Read all files.')
    }
    expect(JSON.stringify(sent[20])).toContain('src/20.ts')
    const events = await eventsOf(store, 'a')
    const requests = events.flatMap((event) =>
      event.type === 'model_request' ? [event.data.prompt_tokens] : [],
    )
    expect(Math.max(...requests)).toBeLessThan(2000)
    expect(typesOf(events).slice(0, 6)).toEqual([
      ...['run_start', 'turn_start', 'model_request', 'model_response', 'tool_call', 'tool_result'],
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'run_end',
      data: { reason: 'submitted', summary: 'All read.' },
    })
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 31 })
  })

  test('a stream reaches its reader as it was, and the answer is recorded before its calls run', async () => {
    const store = memoryStore()
    const model = answering((turn) =>
      turn === 1
        ? [
            { type: 'text', text: 'Two at once.' },
            called('c1', 'readFile', { path: 'a.ts' }),
            called('c2', 'readFile', { path: 'b.ts' }),
          ]
        : [{ type: 'text', text: 'Done.' }],
    )
    const remembered = withMemory({ agentId: 'a', store, model, tools: { readFile } })
    const result = streamText({
      ...{ model: remembered.model, tools: remembered.tools, prompt: 'Read both.' },
      stopWhen: stepCountIs(5),
    })
    const words: string[] = []
    for await (const word of result.textStream) words.push(word)
    await remembered.close()
    expect(words.join('')).toBe('Two at once.Done.')
    const types = typesOf(await eventsOf(store, 'a'))
    expect(types.filter((type) => type === 'tool_call')).toHaveLength(2)
    expect(types.indexOf('model_response')).toBeLessThan(types.indexOf('tool_call'))
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true })
  })

  test('calls that throw, that nobody knows and that are malformed are results that say so', async () => {
    const store = memoryStore()
    const calls = [
      called('thrown', 'readFile', { path: 'gone.ts' }),
      called('unknown', 'fly', { to: 'Mars' }),
      called('malformed', 'readFile', '{"path": 1'),
    ]
    const model = answering((turn) => (turn === 1 ? calls : [{ type: 'text', text: 'I see.' }]))
    const remembered = withMemory({ agentId: 'a', store, model, tools: { readFile } })
    const agent = new ToolLoopAgent({ model: remembered.model, tools: remembered.tools })
    expect((await agent.generate({ prompt: 'Try.' })).text).toBe('I see.')
    await remembered.close()
    const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
    expect(results.map(({ data }) => [data.call_id, data.outcome])).toEqual([
      ['thrown', 'error'],
      ['unknown', 'error'],
      ['malformed', 'error'],
    ])
    expect(results[0]?.data.error).toContain('ENOENT: gone.ts')
    expect(JSON.stringify(sentTo(model)[1])).toContain('ENOENT: gone.ts')
  })

  test('a tool that tells how far it is tells its reader so, and the log its last part', async () => {
    const inParts = async function* () {
      yield 'half'
      yield 'whole'
    }
    const schema = { inputSchema: z.object({}) }
    const tools = {
      itself: tool({ ...schema, execute: inParts }),
      // As a compiler for older engines, or a function around it, makes it: it gives its last part alone.
      given: tool({ ...schema, execute: () => inParts() }),
    }
    const answers = (turn: number): Content[] =>
      turn === 1 ? [called('c1', 'itself', {}), called('c2', 'given', {})] : [{ type: 'text', text: 'Done.' }]
    const resultsOf = async (model: MockLanguageModelV4, given: typeof tools) => {
      const asked = { model, tools: given, prompt: 'Count.', stopWhen: stepCountIs(3) }
      const parts: unknown[] = []
      for await (const part of streamText(asked).fullStream)
        if (part.type === 'tool-result') parts.push([part.toolName, part.preliminary ?? false, part.output])
      return parts.map((part) => JSON.stringify(part)).sort()
    }
    const store = memoryStore()
    const remembered = withMemory({ agentId: 'a', store, model: answering(answers), tools })
    const seen = await resultsOf(remembered.model, remembered.tools)
    await remembered.close()
    const without = await resultsOf(answering(answers), tools)
    expect(seen).toEqual(without.filter((part) => !part.startsWith('["given",true')))
    expect(seen).toHaveLength(4)
    const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
    expect(results.map(({ raw }) => raw?.['raw_output'])).toEqual(['whole', 'whole'])
  })

  test('a log that can not be written ends the run before the next call of the model', async () => {
    const whole = memoryStore()
    let left = 6
    const store: Store = {
      ...whole,
      open: async (id) => {
        const writer = await whole.open(id)
        return {
          ...writer,
          head: writer.head,
          append: (...given) =>
            left-- > 0 ? writer.append(...given) : Promise.reject(new Error('disk full')),
          close: () => writer.close(),
        }
      },
    }
    const model = answering((turn) => [called(`c${turn}`, 'readFile', { path: `${turn}.ts` })])
    const remembered = withMemory({ agentId: 'a', store, model, tools: { readFile } })
    const run = generateText({
      ...{ model: remembered.model, tools: remembered.tools, prompt: 'Read.', stopWhen: stepCountIs(9) },
    })
    await expect(run).rejects.toThrow('disk full')
    expect(model.doGenerateCalls).toHaveLength(1)
  })

  test('a second question goes on with the log, in the same process and after it was opened again', async () => {
    const store = memoryStore()
    const model = answering((turn) => [{ type: 'text', text: `Answer ${turn}.` }])
    const ask = async (prompt: string) => {
      const remembered = withMemory({ agentId: 'a', store, model, packetSizeLimit: 1000 })
      await generateText({ model: remembered.model, prompt })
      await remembered.close()
    }
    await ask('First question?')
    await ask('Second question?')
    const sent = JSON.stringify(sentTo(model)[1])
    for (const words of ['First question?', 'Answer 1.', 'Second question?']) expect(sent).toContain(words)
    const said = (await eventsOf(store, 'a')).filter(({ type }) => type === 'person_message')
    expect(said).toHaveLength(1)
  })

  test('a model that fails once is asked again without the question being said twice', async () => {
    const store = memoryStore()
    let tries = 0
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        if (++tries === 1)
          throw Object.assign(new Error('overloaded'), { name: 'AI_APICallError', isRetryable: true })
        return { content: [{ type: 'text', text: 'Here.' }], ...ending([]) }
      },
    })
    const remembered = withMemory({ agentId: 'a', store, model })
    await expect(generateText({ model: remembered.model, prompt: 'Hello?', maxRetries: 0 })).rejects.toThrow()
    expect((await generateText({ model: remembered.model, prompt: 'Hello?' })).text).toBe('Here.')
    await remembered.close()
    const events = await eventsOf(store, 'a')
    expect(events.filter(({ type }) => type === 'person_message')).toEqual([])
    expect(events.filter(({ type }) => type === 'agent_error')).toHaveLength(1)
  })

  test('what a packet can not hold is refused: a file, other instructions, a name in place of a model', async () => {
    const model = answering(() => [{ type: 'text', text: 'Yes.' }])
    const remembered = withMemory({ agentId: 'a', store: memoryStore(), model })
    const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(8) }
    await expect(
      generateText({ model: remembered.model, messages: [{ role: 'user', content: [image] }] }),
    ).rejects.toThrow(/image\/png.*can't be given/)
    await generateText({ model: remembered.model, prompt: 'Hello', system: 'Be brief.' })
    await expect(
      generateText({ model: remembered.model, prompt: 'Hello again', system: 'Be long.' }),
    ).rejects.toThrow(/other instructions/)
    const remembering = { openai: { previousResponseId: 'resp_1' } }
    await expect(
      generateText({
        model: remembered.model,
        prompt: 'Hello',
        system: 'Be brief.',
        providerOptions: remembering,
      }),
    ).rejects.toThrow(/previousResponseId, with which the model's server adds/)
    expect(() => withMemory({ agentId: 'a', model: 'openai/gpt-5' as never })).toThrow(
      /needs a language model/,
    )
  })

  test('30 turns with version 6 of the AI SDK', async () => {
    const store = memoryStore()
    let turn = 0
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const content: Content[] =
          ++turn <= 30
            ? [called(`c${turn}`, 'readFile', { path: `${turn}.ts` })]
            : [{ type: 'text', text: 'Read.' }]
        return { content, ...ending(content) }
      },
    })
    const { description, inputSchema } = {
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
    }
    const readThere = ai6.tool({ description, inputSchema, execute: async ({ path }) => `// ${path}` })
    const remembered = withMemory({
      ...{ agentId: 'a', store, model, tools: { readFile: readThere }, packetSizeLimit: 1500 },
    })
    const { text, steps } = await ai6.generateText({
      ...{ model: remembered.model, tools: remembered.tools, prompt: 'Read thirty.' },
      stopWhen: ai6.stepCountIs(50),
    })
    await remembered.close()
    expect(text).toBe('Read.')
    expect(steps[29]?.toolResults[0]?.output).toBe('// 30.ts')
    expect(model.doGenerateCalls.map(({ prompt }) => prompt.length)).toEqual(Array(31).fill(1))
    const requests = (await eventsOf(store, 'a')).flatMap((event) =>
      event.type === 'model_request' ? [event.data.prompt_tokens] : [],
    )
    expect(Math.max(...requests)).toBeLessThan(2000)
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 31 })
  })
})
