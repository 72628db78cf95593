/** An agent that reads six files; in a first process it is killed in the middle of the fourth. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { Agent, tool as agentsTool, run } from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createAgent, tool as langchainTool } from 'langchain'
import { z } from 'zod'
import { withMemory } from '../../src/frameworks/ai-sdk.ts'
import { memoryMiddleware } from '../../src/frameworks/langchain.ts'
import { withAgentsMemory } from '../../src/frameworks/openai-agents.ts'

process.env['OPENAI_AGENTS_DISABLE_TRACING'] = '1'
const [framework = '', folder = '', dies = ''] = process.argv.slice(2)
const PROMPT = 'Read the six files.'
const DONE = 'All six read.'
const parameters = z.object({ file: z.number() })

const textOf = ({ file }: { file: number }): string => {
  if (file === 4 && dies === 'dies') process.kill(process.pid, 'SIGKILL')
  return `text of ${file}`
}
/** The first file that what the model is shown does not have: all that it knows of the files read so far. */
const nextFor = (shown: unknown): number | undefined =>
  [1, 2, 3, 4, 5, 6].find((file) => !JSON.stringify(shown).includes(`text of ${file}`))

async function aiSdk(): Promise<string> {
  const total = (count: number) => ({ total: count, noCache: count, cacheRead: 0, cacheWrite: 0 })
  const usage = { inputTokens: total(1), outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const file = nextFor(prompt)
      const call = {
        type: 'tool-call' as const,
        toolCallId: `${dies}${file}`,
        toolName: 'read',
        input: `{"file":${file}}`,
      }
      const content = file === undefined ? { type: 'text' as const, text: DONE } : call
      const unified = file === undefined ? ('stop' as const) : ('tool-calls' as const)
      return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
  const read = tool({ inputSchema: parameters, execute: async (input) => textOf(input) })
  const memory = withMemory({ agentId: 'reader', folder, model, tools: { read } })
  const { text } = await generateText({ ...memory, prompt: PROMPT, stopWhen: stepCountIs(9) })
  await memory.close()
  return text
}

async function openaiAgents(): Promise<string> {
  const answer = modelResponder(({ request }) => {
    const file = nextFor(request.input)
    return file === undefined
      ? [assistantMessage(DONE)]
      : [functionCall('read', { file }, { callId: `${dies}${file}` })]
  })
  const model = new ScriptedModel(Array.from({ length: 9 }, () => answer))
  const read = agentsTool({
    name: 'read',
    description: 'Reads.',
    parameters,
    execute: async (input) => textOf(input),
  })
  const memory = withAgentsMemory({ agentId: 'reader', folder, model, tools: [read] })
  const { finalOutput } = await run(
    new Agent({ name: 'reader', model: memory.model, tools: memory.tools }),
    PROMPT,
  )
  await memory.close()
  return finalOutput ?? ''
}

class Reader extends BaseChatModel {
  override _llmType() {
    return 'reader'
  }
  override bindTools() {
    return this
  }
  override async _generate(messages: BaseMessage[]) {
    const file = nextFor(messages.map(({ text }) => text))
    const call = { id: `${dies}${file}`, name: 'read', args: { file }, type: 'tool_call' as const }
    const message =
      file === undefined ? new AIMessage(DONE) : new AIMessage({ content: '', tool_calls: [call] })
    return { generations: [{ message, text: message.text }] }
  }
}

async function langchain(): Promise<string> {
  const read = langchainTool(textOf, { name: 'read', description: 'Reads.', schema: parameters })
  const middleware = [memoryMiddleware({ folder })]
  const agent = createAgent({ model: new Reader({}), tools: [read], middleware })
  const asked = { messages: [{ role: 'user', content: PROMPT }] }
  const { messages } = await agent.invoke(asked, {
    configurable: { thread_id: 'reader' },
    recursionLimit: 99,
  })
  return messages.at(-1)?.text ?? ''
}

const agents: Readonly<Record<string, () => Promise<string>>> = {
  'ai-sdk': aiSdk,
  'openai-agents': openaiAgents,
  langchain,
}
process.stdout.write((await agents[framework]?.()) ?? `no framework ${framework}`)
