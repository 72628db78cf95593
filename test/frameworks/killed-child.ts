/** An agent that reads six files; in a first process it is killed in the middle of the fourth. */
import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { withMemory } from '../../src/frameworks/ai-sdk.ts'

const [folder = '', dies = ''] = process.argv.slice(2)
const total = (count: number) => ({ total: count, noCache: count, cacheRead: 0, cacheWrite: 0 })
const usage = { inputTokens: total(1), outputTokens: { total: 1, text: 1, reasoning: 0 } }
const read = tool({
  inputSchema: z.object({ file: z.number() }),
  execute: async ({ file }) => {
    if (file === 4 && dies === 'dies') process.kill(process.pid, 'SIGKILL')
    return `text of ${file}`
  },
})
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    // All that it knows of the files read so far is what it is shown.
    const shown = JSON.stringify(prompt)
    const next = [1, 2, 3, 4, 5, 6].find((file) => !shown.includes(`text of ${file}`))
    const call = {
      type: 'tool-call' as const,
      toolCallId: `${dies}${next}`,
      toolName: 'read',
      input: `{"file":${next}}`,
    }
    const content = next === undefined ? { type: 'text' as const, text: 'All six read.' } : call
    const unified = next === undefined ? ('stop' as const) : ('tool-calls' as const)
    return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] }
  },
})
const memory = withMemory({ agentId: 'reader', folder, model, tools: { read } })
const prompt = 'Read the six files.'
const { text } = await generateText({ ...memory, prompt, stopWhen: stepCountIs(9) })
await memory.close()
process.stdout.write(text)
