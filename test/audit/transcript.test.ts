import { describe, expect, test } from 'vitest'
import { transcriptOf } from '../../src/audit/transcript.ts'
import { visible } from '../../src/audit/visible.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { collect } from '../../src/testing/store-cases/case.ts'

async function conversation(output: string) {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'Fix it.', instructions: 'You fix things.' })
  await memory.startTurn()
  await memory.record({
    type: 'model_response',
    data: { model: 'm', text: 'I look <b>first</b>.', calls: [] },
  })
  const call = await memory.recordCall({ tool: 'shell', args: { command: 'make', script: 'a\nb' } })
  await memory.recordResult({ call, returned: output, durationMs: 1_234 })
  await memory.record({ type: 'escalation', data: { reason: 'loop', answer: 'Read the Makefile.' } })
  await memory.record({ type: 'run_end', data: { reason: 'cancelled', summary: 'stopped' } })
  await memory.close()
  return store
}

describe('transcript', () => {
  test('reads as a conversation, in order, with who says what', async () => {
    const parts = await collect(transcriptOf(await conversation('ok'), 'a'))
    expect(parts.map(({ who, what, text }) => [who, what, text])).toEqual([
      ['instructions', 'to the model', 'You fix things.'],
      ['person', 'asks', 'Fix it.'],
      ['model', 'says', 'I look <b>first</b>.'],
      ['model', 'calls shell', 'command: make\nscript:\n  a\n  b'],
      ['tool', 'shell answers after 1.2 s', 'ok'],
      ['advice', 'from a person', 'Read the Makefile.'],
      ['runner', 'ends: cancelled', 'stopped'],
    ])
  })

  test('shows long outputs from both ends and says how much is hidden', async () => {
    const output = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n')
    const store = await conversation(output)
    const result = async (linesMax?: number) =>
      (await collect(transcriptOf(store, 'a', linesMax === undefined ? {} : { linesMax }))).find(
        ({ who }) => who === 'tool',
      )?.text ?? ''
    expect(await result()).toBe(output)
    const shown = (await result(10)).split('\n')
    expect(shown).toHaveLength(11)
    expect(shown[0]).toBe('line 0')
    expect(shown.at(-1)).toBe('line 499')
    expect(shown[6]).toBe('⋮ 490 more lines')
  })

  test('lays JSON out that a tool gave on one line', async () => {
    const parts = await collect(transcriptOf(await conversation('{"a":[1,2]}'), 'a'))
    expect(parts.find(({ who }) => who === 'tool')?.text).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
  })

  test('leaves emoji whole and hides nothing behind them', () => {
    expect(visible('✔️ 👩‍💻 x\ufe0f')).toBe('✔️ 👩‍💻 x\\u{fe0f}')
  })
})
