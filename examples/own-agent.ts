/** An agent with a tool, a summarizer and a model of its own. Run: node examples/own-agent.ts */
import { defineSummarizer, memoryStore } from 'twotrack'
import type { Model } from 'twotrack/model'
import { startAgent } from 'twotrack/run'
import { defineTool } from 'twotrack/tool'
import { z } from 'zod'

const stock: Record<string, number> = { apples: 3, pears: 0, plums: 12 }
const count = defineTool({
  name: 'count',
  description: 'Counts what is in stock.',
  effect: 'pure',
  input: z.strictObject({ item: z.string().describe('one of apples, pears, plums') }),
  run: ({ item }) => `${item}: ${stock[item] ?? 'unknown'}`,
})
const stockLevel = defineSummarizer({
  name: 'stock-level',
  summarize({ text }) {
    const [item = '', level] = text.split(': ')
    return { summary: text, knowledge: { [item]: Number(level) } }
  },
})
/** Stands for a language model: it sees the packet alone, and answers with a call. */
const model: Model = {
  name: 'asks-for-each',
  format: 'text',
  async answer({ prompt: { packet } }) {
    const next = Object.keys(stock).find((item) => !(item in packet.knowledge))
    const low = Object.entries(packet.knowledge).filter(([, { value }]) => value === 0)
    const submit = { tool: 'submit_result', args: { order: low.map(([item]) => item) } }
    const call = next === undefined ? submit : { tool: 'count', args: { item: next } }
    return { text: '', calls: [{ call_id: `call-${packet.turn}`, ...call }] }
  },
}
const submit = z.strictObject({ order: z.array(z.string()) })
const agent = { goal: 'Find out what to order.', tools: [count], summarizers: { count: stockLevel }, submit }
const { stop, result, turns } = await startAgent({ ...agent, model, store: memoryStore() })
console.log(stop.reason, JSON.stringify(result), `after ${turns} turns`)
