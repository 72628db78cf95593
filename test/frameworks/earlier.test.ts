import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { Agent, run } from '@openai/agents'
import { assistantMessage, ScriptedModel } from '@openai/agents/testing'
import { generateText, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createAgent, fakeModel } from 'langchain'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import { withMemory } from '../../src/frameworks/ai-sdk.ts'
import { memoryMiddleware } from '../../src/frameworks/langchain.ts'
import { withAgentsMemory } from '../../src/frameworks/openai-agents.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { eventsOf } from './events.ts'

process.env['OPENAI_AGENTS_DISABLE_TRACING'] = '1'

const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
const answering = (fails = 0) => {
  let tries = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      if (++tries <= fails) throw new Error('overloaded')
      return {
        content: [{ type: 'text', text: 'Ada.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      }
    },
  })
}
const call = { toolCallId: 'c1', toolName: 'look' }
const chat: ModelMessage[] = [
  { role: 'user', content: 'My name is Ada.' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Hello Ada.' },
      { type: 'tool-call', ...call, input: { at: 'sky' } },
    ],
  },
  { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'blue' } }] },
  { role: 'assistant', content: 'The sky is blue.' },
  { role: 'user', content: 'I live in Rome.' },
  { role: 'assistant', content: 'Noted.' },
  { role: 'user', content: 'And my name?' },
]

async function aiSdk(store: Store): Promise<unknown> {
  const model = answering()
  const memory = withMemory({ agentId: 'a', store, model })
  await generateText({ model: memory.model, messages: chat })
  await memory.close()
  return model.doGenerateCalls[0]?.prompt
}

async function openaiAgents(store: Store): Promise<unknown> {
  const model = new ScriptedModel([[assistantMessage('Ada.')]])
  const memory = withAgentsMemory({ agentId: 'a', store, model })
  const said = (text: string) => ({
    ...{ type: 'message' as const, role: 'assistant' as const, status: 'completed' as const },
    content: [{ type: 'output_text' as const, text }],
  })
  const call = { callId: 'c1', name: 'look', status: 'completed' as const }
  await run(new Agent({ name: 'guide', model: memory.model }), [
    { role: 'user', content: 'My name is Ada.' },
    said('Hello Ada.'),
    { type: 'function_call', ...call, arguments: '{"at":"sky"}' },
    { type: 'function_call_result', ...call, output: 'blue' },
    said('The sky is blue.'),
    { role: 'user', content: 'I live in Rome.' },
    said('Noted.'),
    { role: 'user', content: 'And my name?' },
  ])
  await memory.close()
  return model.calls[0]?.request.input
}

async function langchain(store: Store): Promise<unknown> {
  const model = fakeModel().respond(new AIMessage('Ada.'))
  const agent = createAgent({ model, tools: [], middleware: [memoryMiddleware({ store, agentId: 'a' })] })
  await agent.invoke({
    messages: [
      { role: 'user', content: 'My name is Ada.' },
      new AIMessage({ content: 'Hello Ada.', tool_calls: [{ id: 'c1', name: 'look', args: { at: 'sky' } }] }),
      new ToolMessage({ content: 'blue', tool_call_id: 'c1', name: 'look' }),
      { role: 'assistant', content: 'The sky is blue.' },
      { role: 'user', content: 'I live in Rome.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'And my name?' },
    ],
  })
  return model.calls[0]?.messages.map(({ text }) => text)
}

const told = (events: readonly Event[]) =>
  events.flatMap(({ type, data }) => {
    if (type === 'run_start') return [`goal: ${data.goal}`]
    if (type === 'person_message') return [`person: ${data.text}`]
    if (type === 'model_response') return [`model: ${data.text} ${data.calls?.length}`]
    return type === 'tool_call' ? [`call: ${data.tool} ${JSON.stringify(data.args)}`] : []
  })

describe('a conversation that began before its log', () => {
  test.each(Object.entries({ aiSdk, openaiAgents, langchain }))(
    '%s: what was said, answered and done stands in the log, in order, and the model knows it',
    async (_, talk) => {
      const store = memoryStore()
      const sent = JSON.stringify(await talk(store))
      const events = await eventsOf(store, 'a')
      expect(told(events)).toEqual([
        'goal: My name is Ada.',
        'model: Hello Ada. 1',
        'call: look {"at":"sky"}',
        'model: The sky is blue. 0',
        'person: I live in Rome.',
        'model: Noted. 0',
        'person: And my name?',
        'model: Ada. 0',
      ])
      for (const words of ['My name is Ada.', 'I live in Rome.', 'And my name?', 'blue'])
        expect(sent).toContain(words)
      expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 1 })
    },
  )

  test('beside a goal that is given all messages of the person are recorded, and none of them twice', async () => {
    const store = memoryStore()
    const ask = async (messages: ModelMessage[]) => {
      const memory = withMemory({ agentId: 'a', store, model: answering(), goal: 'Be a guide.' })
      await generateText({ model: memory.model, messages })
      await memory.close()
    }
    await ask(chat)
    await ask([...chat, { role: 'assistant', content: 'Ada.' }, { role: 'user', content: 'Thanks.' }])
    expect(told(await eventsOf(store, 'a')).filter((line) => !line.startsWith('model'))).toEqual([
      'goal: Be a guide.',
      'person: My name is Ada.',
      'call: look {"at":"sky"}',
      'person: I live in Rome.',
      'person: And my name?',
      'person: Thanks.',
    ])
  })

  test('that ends with a result keeps the goal, and an earlier picture leaves a mark', async () => {
    const store = memoryStore()
    const memory = withMemory({ agentId: 'a', store, model: answering() })
    const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(8) }
    const asked = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Is it blue?' }, image] }
    await generateText({ model: memory.model, messages: [asked, ...chat.slice(1, 3)] })
    await memory.close()
    expect(told(await eventsOf(store, 'a'))[0]).toBe(
      'goal: Is it blue?\n\n[a part of type "file" (image/png) is not shown]',
    )
  })
})

test('a request that failed lets go of the log with close(), and who forgot it is told so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-failed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ask = (memory: { model: MockLanguageModelV4 }) =>
    generateText({ model: memory.model, messages: chat, maxRetries: 0 })
  const failed = withMemory({ agentId: 'a', folder, model: answering(1) })
  await expect(ask(failed)).rejects.toThrow('overloaded')
  const next = withMemory({ agentId: 'a', folder, model: answering() })
  await expect(ask(next)).rejects.toThrow(/being written by this process.*close\(\)/)
  await failed.close()
  await expect(ask(failed)).rejects.toThrow(/after close\(\)/)
  expect((await ask(next)).text).toBe('Ada.')
  await next.close()
})
