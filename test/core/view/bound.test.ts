import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventFor, ToolDeclaration } from '../../../src/core/event/event.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { promptOf } from '../../../src/core/view/prompt.ts'
import { readerOf } from '../../../src/core/view/reader.ts'
import type { MemoryOptions } from '../../../src/memory.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { success } from '../../../src/tool/result.ts'
import { histories, play } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'

const tool = (at: number): ToolDeclaration => ({
  name: `tool_${at}`,
  description: 'Does one thing well. '.repeat(3),
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
})

const begin = (options: Partial<MemoryOptions>) =>
  Memory.open({ store: memoryStore(), agentId: 'a', goal: 'Fix the bug in foo.py', ...options })

/** Counted anew from the text, not taken from the prompt's own word. */
async function tokensOf(memory: Memory): Promise<{ whole: number; packet: number }> {
  const { text, declarations, tokens } = await memory.prompt()
  const whole = estimate.count(text) + estimate.count(declarations)
  expect(tokens).toBe(whole)
  return { whole, packet: estimate.count(text) }
}

const renderings = ['json', 'outline'] as const

describe(`the bound (SEED=${SEED})`, () => {
  test('holds for any history, limits, rendering, tools and instructions', async () => {
    const limits = fc.record({
      rendering: fc.constantFrom(...renderings),
      packetSizeLimit: fc.constantFrom(220, 300, 600, 3_000, 50_000),
      promptBudget: fc.constantFrom(900, 1_500, 8_000, 100_000),
      tools: fc.nat(4).map((count) => Array.from({ length: count }, (_, at) => tool(at))),
      instructions: fc.constantFrom('', 'Call one tool.', 'Be careful.\n'.repeat(20)),
    })
    await fc.assert(
      fc.asyncProperty(histories, limits, async (steps, options) => {
        const memory = await begin(options)
        await play(memory, steps)
        const { whole, packet } = await tokensOf(memory)
        expect(whole).toBeLessThanOrEqual(options.promptBudget)
        const instructions = estimate.count(options.instructions) + 2
        expect(packet).toBeLessThanOrEqual(options.packetSizeLimit + instructions)
      }),
      seeded(60),
    )
  })

  const call = async (memory: Memory, returned: unknown) => {
    await memory.startTurn()
    const called = await memory.recordCall({ tool: 'shell', args: { command: 'make' } })
    return memory.recordResult({ call: called as EventFor<'tool_call'>, returned })
  }
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const outputs: [string, () => unknown][] = [
    ['a line of 10^6 characters', () => 'x'.repeat(1_000_000)],
    ['a line of 10^6 different words', () => Array.from({ length: 150_000 }, (_, at) => `w_${at}`).join(' ')],
    ['20,000 lines with names', () => numbered(20_000)],
    ['deep JSON as text', () => deep],
    ['deep JSON as a value', () => JSON.parse(deep)],
    ['emoji', () => '👩‍💻🔥🇨🇭'.repeat(20_000)],
    ['control tokens', () => '<start_of_turn>user\n<end_of_turn><|im_end|>'.repeat(5_000)],
    ['control characters', () => '\u0000\u001b[31m\u202e\u200b\n'.repeat(20_000)],
    ['a message of 10^6 characters', () => ({ message: 'm'.repeat(1_000_000) })],
    ['an error of 10^7 characters', () => ({ error: 'e'.repeat(10_000_000) })],
    [
      'a summary of 10^7 characters',
      () => ({ result: null, summary: 's'.repeat(10_000_000), outcome: 'partial' }),
    ],
    ['10,000 knowledge keys', () => success(1, 's', many(10_000))],
    ['knowledge larger than a line may be', () => success(1, 's', many(120_000))],
  ]
  test.each(outputs)('holds for %s', async (_name, output) => {
    for (const rendering of renderings) {
      const memory = await begin({ rendering, packetSizeLimit: 400, promptBudget: 700, tools: [tool(1)] })
      const result = await call(memory, output())
      expect(result.type).toBe('tool_result')
      expect((await tokensOf(memory)).whole).toBeLessThanOrEqual(700)
      expect((await tokensOf(memory)).packet).toBeLessThanOrEqual(402)
    }
  })

  test('holds for 30 MB of output', async () => {
    const memory = await begin({ packetSizeLimit: 500 })
    await call(memory, `${numbered(1_000)}${'0123456789abcdef\n'.repeat(1_800_000)}Error: at the end`)
    expect((await tokensOf(memory)).packet).toBeLessThanOrEqual(502)
  })

  test.each(renderings)('holds while turns and errors grow (%s)', async (rendering) => {
    const memory = await begin({ rendering, packetSizeLimit: 150 })
    await memory.record({ type: 'turn_start', data: {}, turn: Number.MAX_SAFE_INTEGER })
    for (let at = 0; at < 200; at++) await memory.correct('test', 'n', { set_error: `failed again ${at}` })
    expect((await tokensOf(memory)).packet).toBeLessThanOrEqual(152)
  })
})

describe('what cannot fit is refused with the numbers, and nothing is written', () => {
  const cases: [string, Partial<MemoryOptions>][] = [
    ['a long goal', { goal: 'Fix it. '.repeat(900), packetSizeLimit: 500 }],
    [
      'many rules',
      {
        constraints: { safety: Array.from({ length: 300 }, (_, at) => `rule ${at}`) },
        packetSizeLimit: 600,
      },
    ],
    ['many tools', { tools: Array.from({ length: 60 }, (_, at) => tool(at)), promptBudget: 2_000 }],
    ['long instructions', { instructions: 'Mind this. '.repeat(3_000) }],
    ['a limit of 0', { packetSizeLimit: 0 }],
  ]
  test.each(cases)('%s', async (_name, options) => {
    const store = memoryStore()
    const opening = Memory.open({ store, agentId: 'a', goal: 'g', ...options })
    await expect(opening).rejects.toMatchObject({
      code: 'budget_too_small',
      message: expect.stringMatching(/take \d+ tokens.*may have \d+/s),
      details: { tokens: expect.any(Number), limit: expect.any(Number), toolTokens: expect.any(Number) },
    })
    expect(await store.list()).toEqual([])
    expect(await store.head('a')).toBeUndefined()
  })
})

const numbered = (count: number): string => {
  const lines: string[] = []
  for (let at = 0; at < count; at++) lines.push(`src/file_${at}.ts:${at}: error E${at} in function_${at}`)
  return lines.join('\n')
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/file_${at}.ts`, `has class_${at}`]))

test('a goal that is shorter than what it may take leaves no packet over its limit', async () => {
  const memory = await Memory.open({ store: memoryStore(), agentId: 'a', goal: null, packetSizeLimit: 3000 })
  await memory.say('Fix it')
  for (let at = 0; at < 30; at++) {
    await memory.startTurn()
    const call = await memory.recordCall({ tool: 'Bash', args: { command: `cat f${at}.py` } })
    await memory.recordResult({ call, returned: `value_${at} = ${at}\n`.repeat(200) })
  }
  for (const limit of [100, 150, 200, 300, 400, 1000]) {
    const settings = { ...memory.state.settings, packet_size_limit: limit }
    expect(promptOf({ ...memory.state, settings }, readerOf(estimate)).tokens).toBeLessThanOrEqual(limit)
  }
  await memory.close()
})
