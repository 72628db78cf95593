import { describe, expect, test } from 'vitest'
import { EVENT_VERSION } from '../../../src/core/event/event.ts'
import { isObject } from '../../../src/core/event/json.ts'
import { upgrade } from '../../../src/core/event/upgrade.ts'
import { refused } from '../../../src/testing/given.ts'

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
