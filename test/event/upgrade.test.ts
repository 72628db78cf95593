import { describe, expect, test } from 'vitest'
import { EVENT_VERSION } from '../../src/event/event.ts'
import { isObject } from '../../src/event/json.ts'
import { fromTraceEntry, upgrade } from '../../src/event/upgrade.ts'
import { refused } from '../../src/testing/given.ts'

describe('old versions', () => {
  test('are brought up step by step, each version by its own step', () => {
    const steps = {
      [EVENT_VERSION - 2]: (type: string, payload: unknown) => ({ was: payload as never, type }),
      [EVENT_VERSION - 1]: (_type: string, payload: unknown) =>
        isObject(payload) ? ({ ...payload, seen: 'twice' } as never) : null,
    }
    expect(upgrade(EVENT_VERSION - 2, 'turn_start', { old: 1 }, steps)).toEqual({
      was: { old: 1 },
      type: 'turn_start',
      seen: 'twice',
    })
    expect(upgrade(EVENT_VERSION, 'turn_start', { new: 1 }, steps)).toEqual({ new: 1 })
  })

  test('without a step cannot be read, which is said', () => {
    const reading = () => upgrade(EVENT_VERSION - 1, 'turn_start', {}, {})
    expect(refused('bad_event', reading).message).toContain(`version ${EVENT_VERSION - 1}`)
  })
})

describe('trace entries from before the chain', () => {
  test('the flat form', () => {
    expect(
      fromTraceEntry({
        turn: 6,
        timestamp: '2026-02-19T15:42:10Z',
        tool: 'print_var',
        args: { name: 'result' },
        raw_output: 'None',
        parsed_output: { value: null },
        packet_delta: { diagnostics: ['result is None'] },
      }),
    ).toEqual({
      turn: 6,
      timestamp: '2026-02-19T15:42:10Z',
      tool: 'print_var',
      args: { name: 'result' },
      raw_output: 'None',
      parsed_output: { value: null },
      delta: { actions: [], knowledge: {}, diagnostics: ['result is None'] },
    })
  })

  test('the nested form', () => {
    expect(
      fromTraceEntry({
        type: 'tool_result',
        tool: 'read_file',
        data: {
          raw_output: 'def foo(): ...',
          summary_delta: {
            recent_actions: ['Read file foo.py'],
            file_context: ['foo.py'],
            knowledge: { lines: 500 },
          },
        },
      }),
    ).toMatchObject({
      raw_output: 'def foo(): ...',
      delta: { actions: ['Read file foo.py'], knowledge: { lines: 500, 'foo.py': 'seen' } },
    })
  })

  test('what is neither is left alone', () => {
    for (const value of [
      null,
      'x',
      [],
      {},
      { tool: 'x' },
      { tool: 'x', raw_output: '' },
      { raw_output: '', delta: {} },
    ])
      expect(fromTraceEntry(value)).toBeUndefined()
  })
})
