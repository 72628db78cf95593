import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { createAgent, tool } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../../src/audit/verify.ts'
import { memoryMiddleware } from '../../src/frameworks/langchain.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { eventsOf } from './events.ts'

/** A model of LangChain's base class that answers turn by turn, and keeps what it was sent. */
class Scripted extends BaseChatModel {
  readonly sent: BaseMessage[][] = []
  readonly answers: (turn: number) => AIMessage
  constructor(answers: (turn: number) => AIMessage) {
    super({})
    this.answers = answers
  }
  override _llmType() {
    return 'scripted'
  }
  override bindTools() {
    return this
  }
  override async _generate(messages: BaseMessage[]) {
    this.sent.push(messages)
    const message = this.answers(this.sent.length)
    return { generations: [{ message, text: message.text }] }
  }
}
const reading = (id: string, path: string) => ({
  id,
  name: 'read_file',
  args: { path },
  type: 'tool_call' as const,
})
const readFile = tool(
  ({ path }) => {
    if (path === 'gone.ts') throw new Error(`ENOENT: ${path}`)
    return `// ${path}\n`.repeat(200)
  },
  { name: 'read_file', description: 'Reads a file.', schema: z.object({ path: z.string() }) },
)

describe('an agent of LangChain with a memory', () => {
  test('30 turns: each call of the model sees the packet and no history, and the log of the thread verifies', async () => {
    const store = memoryStore()
    const model = new Scripted((turn) =>
      turn <= 30
        ? new AIMessage({ content: `Step ${turn}.`, tool_calls: [reading(`c${turn}`, `src/${turn}.ts`)] })
        : new AIMessage('All read.'),
    )
    const agent = createAgent({
      ...{ model, tools: [readFile], systemPrompt: 'Be brief.' },
      middleware: [memoryMiddleware({ store, packetSizeLimit: 1500 })],
    })
    const config = { configurable: { thread_id: 'thread-7' }, recursionLimit: 200 }
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: 'Read all files.' }] },
      config,
    )
    expect(messages.at(-1)?.text).toBe('All read.')
    expect(messages).toHaveLength(62)
    expect(model.sent).toHaveLength(31)
    for (const sent of model.sent) expect(sent.map(({ type }) => type)).toEqual(['system', 'human'])
    expect(model.sent[20]?.at(-1)?.text).toContain('src/20.ts')
    const events = await eventsOf(store, 'thread-7')
    const tokens = events.flatMap((event) =>
      event.type === 'model_request' ? [event.data.prompt_tokens] : [],
    )
    expect(Math.max(...tokens)).toBeLessThan(2000)
    expect(events.at(-1)).toMatchObject({
      type: 'run_end',
      data: { reason: 'submitted', summary: 'All read.' },
    })
    expect(await verifyLog(store, 'thread-7')).toMatchObject({ ok: true, prompts: 31 })
  })

  test('a tool that throws does not end the run: the model is told, and the log says error', async () => {
    const store = memoryStore()
    const model = new Scripted((turn) =>
      turn === 1
        ? new AIMessage({ content: '', tool_calls: [reading('c1', 'gone.ts'), reading('c2', 'a.ts')] })
        : new AIMessage('I see.'),
    )
    const agent = createAgent({
      model,
      tools: [readFile],
      middleware: [memoryMiddleware({ store, agentId: 'a' })],
    })
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Try.' }] })
    expect(messages.at(-1)?.text).toBe('I see.')
    const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
    expect(results.map(({ data }) => [data.call_id, data.outcome, data.error]).sort()).toEqual([
      ['c1', 'error', 'ENOENT: gone.ts'],
      ['c2', 'success', undefined],
    ])
    expect(model.sent[1]?.at(-1)?.text).toContain('ENOENT: gone.ts')
  })

  test('the same thread goes on with its log, another has its own, and one without a name is refused', async () => {
    const store = memoryStore()
    const model = new Scripted((turn) => new AIMessage(`Answer ${turn}.`))
    const middleware = [memoryMiddleware({ store })]
    const agent = createAgent({ model, tools: [], middleware, checkpointer: new MemorySaver() })
    const ask = (content: string, thread_id: string) =>
      agent.invoke({ messages: [{ role: 'user', content }] }, { configurable: { thread_id } })
    await ask('Go on.', 'one')
    await ask('Go on.', 'one')
    await ask('Hello.', 'two')
    const said = (await eventsOf(store, 'one')).filter(({ type }) => type === 'person_message')
    expect(said).toHaveLength(1)
    expect(model.sent[1]?.at(-1)?.text).toContain('Answer 1.')
    expect(model.sent[2]?.at(-1)?.text).not.toContain('Answer 1.')
    const nameless = createAgent({ model, tools: [], middleware: [memoryMiddleware({ store })] })
    await expect(nameless.invoke({ messages: [{ role: 'user', content: 'Hi.' }] })).rejects.toThrow(
      /thread_id/,
    )
  })
})
