import { expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { call, promptOf, result } from './drafts.ts'

test('of a long error both ends stand where there is little space, and all of it where there is much', () => {
  const error = `begin ${'the pipe broke in part; '.repeat(150)}end`
  const failed: Draft[] = [call('push', {}), { ...result('Pushed', ''), delta: { set_error: error } }]
  const short = promptOf(failed, { packetSizeLimit: 300 })
  expect(short).toContain('LAST ERROR\n  begin the pipe broke')
  expect(short).toContain('part; end\n')
  expect(short).not.toContain(error)
  expect(promptOf(failed, { packetSizeLimit: 6_000, promptBudget: 8_000 })).toContain(error)
})

test.each([400, 1_000, 2_000, 6_000, 30_000])('JSON uses its limit of %i tokens', (packetSizeLimit) => {
  const lines = Array.from({ length: 400 }, (_, at) => `src/part_${at}.ts: "value" of ${at}`).join('\n')
  const steps = Array.from({ length: 12 }, (_, at) => [
    call('search', { pattern: `part_${at}` }),
    result(`Searched part_${at}`, lines),
  ]).flat()
  const options = { rendering: 'json', packetSizeLimit, promptBudget: packetSizeLimit * 2 } as const
  const tokens = estimate.count(promptOf(steps, options))
  expect(tokens).toBeLessThanOrEqual(packetSizeLimit)
  expect(tokens).toBeGreaterThan(packetSizeLimit * 0.85)
})
