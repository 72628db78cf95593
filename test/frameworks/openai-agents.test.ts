import { Agent, run, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../../src/audit/verify.ts'
import { withAgentsMemory } from '../../src/frameworks/openai-agents.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { eventsOf } from './events.ts'

process.env['OPENAI_AGENTS_DISABLE_TRACING'] = '1'

const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => {
    if (path === 'gone.ts') throw new Error(`ENOENT: ${path}`)
    return `// ${path}\n`.repeat(200)
  },
})
const reading = (id: number, path: string) => functionCall('read_file', { path }, { callId: `c${id}` })

describe('an agent of the OpenAI Agents SDK with a memory', () => {
  test.each([false, true])(
    '30 turns (streamed: %s): each call of the model sees the packet alone, and the log verifies',
    async (stream) => {
      const store = memoryStore()
      const steps = Array.from({ length: 30 }, (_, at) => [reading(at + 1, `src/${at + 1}.ts`)])
      const model = new ScriptedModel([...steps, [assistantMessage('All read.')]])
      const remembered = withAgentsMemory({
        agentId: 'a',
        store,
        model,
        tools: [readFile],
        packetSizeLimit: 1500,
      })
      const agent = new Agent({
        name: 'reader',
        instructions: 'Be brief.',
        model: remembered.model,
        tools: remembered.tools,
      })
      const options = { maxTurns: 40 }
      const result = stream
        ? await run(agent, 'Read all files.', { ...options, stream: true })
        : await run(agent, 'Read all files.', options)
      if ('completed' in result) await result.completed
      await remembered.close()
      expect(result.finalOutput).toBe('All read.')
      expect(model.calls).toHaveLength(31)
      for (const { request } of model.calls) {
        expect(request.input).toHaveLength(1)
        expect(JSON.stringify(request.input)).toContain('Read all files.')
        expect(request.systemInstructions).toBe('Be brief.')
      }
      const events = await eventsOf(store, 'a')
      const tokens = events.flatMap((event) =>
        event.type === 'model_request' ? [event.data.prompt_tokens] : [],
      )
      expect(Math.max(...tokens)).toBeLessThan(2000)
      expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(30)
      expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 31 })
    },
  )

  test('what a server would add to the prompt by itself is refused, before the model is asked', async () => {
    const options = [
      { prompt: { promptId: 'pmpt_1' } },
      { modelSettings: { providerData: { instructions: 'Be long.' } } },
    ]
    for (const given of options) {
      const model = new ScriptedModel([[assistantMessage('Yes.')]])
      const remembered = withAgentsMemory({ agentId: 'a', store: memoryStore(), model, tools: [] })
      const agent = new Agent({ name: 'reader', model: remembered.model, ...given })
      await expect(run(agent, 'Go.')).rejects.toThrow(/which the model's server adds text that no log has/)
      expect(model.calls).toHaveLength(0)
    }
  })

  test('a tool that throws is no success, and neither is one that nobody knows', async () => {
    const store = memoryStore()
    const model = new ScriptedModel([
      [reading(1, 'gone.ts'), reading(2, 'a.ts')],
      [assistantMessage('I see.')],
    ])
    const remembered = withAgentsMemory({ agentId: 'a', store, model, tools: [readFile] })
    const agent = new Agent({ name: 'reader', model: remembered.model, tools: remembered.tools })
    expect((await run(agent, 'Try.')).finalOutput).toBe('I see.')
    await remembered.close()
    const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
    expect(results.map(({ data }) => [data.call_id, data.outcome]).sort()).toEqual([
      ['c1', 'error'],
      ['c2', 'success'],
    ])
  })

  test('a second question goes on with the log', async () => {
    const store = memoryStore()
    const model = new ScriptedModel([[assistantMessage('Rome.')], [assistantMessage('Tiber.')]])
    for (const question of ['Which city?', 'Which river?']) {
      const remembered = withAgentsMemory({ agentId: 'a', store, model })
      await run(new Agent({ name: 'guide', model: remembered.model }), question)
      await remembered.close()
    }
    const sent = JSON.stringify(model.calls[1]?.request.input)
    for (const words of ['Which city?', 'Rome.', 'Which river?']) expect(sent).toContain(words)
    expect(() => withAgentsMemory({ agentId: 'a', model: 'gpt-5' as never })).toThrow(/needs a Model/)
  })
})
