import { expect, test } from 'vitest'
import { error } from '../../../src/api/tool.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'

async function failing(returned: unknown, packetSizeLimit = 30_000) {
  const memory = await Memory.open({
    ...{
      store: memoryStore(),
      agentId: 'a',
      goal: 'Save it.',
      packetSizeLimit,
      promptBudget: 2 * packetSizeLimit,
    },
  })
  await memory.startTurn()
  const call = await memory.recordCall({ tool: 'save', args: { path: 'a.txt' } })
  await memory.recordResult({ call, returned })
  return memory
}

test.each([1_400, 2_600, 3_800])(
  'an error of %i characters stands whole where there is space',
  async (chars) => {
    const message = `cannot save: ${Array.from({ length: chars / 10 }, (_, at) => `reason-${100 + at}`.slice(-9)).join(' ')}`
    const text = message.slice(0, chars)
    const memory = await failing(error(text))
    expect((await memory.prompt()).text).toContain(text)
    await memory.close()
  },
)

test('what failed is told in words, never as null', async () => {
  for (const returned of [error('disk full'), new Error('disk full'), { error: 'disk full' }]) {
    const memory = await failing(returned)
    expect(memory.packet.failed_attempts.join()).toContain('disk full')
    expect(memory.packet.failed_attempts.join()).not.toContain('null')
    await memory.close()
  }
})
