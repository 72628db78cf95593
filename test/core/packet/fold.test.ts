import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import { fold, foldAll } from '../../../src/core/packet/fold.ts'
import { packetSchema } from '../../../src/core/packet/packet.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { packetOf } from '../../../src/core/view/prompt.ts'
import { readerOf } from '../../../src/core/view/reader.ts'
import { given, refused } from '../../../src/testing/given.ts'
import { deltas } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'
import { correction, eventsOf, stateAfter } from './states.ts'

const logs = fc
  .array(deltas, { maxLength: 20 })
  .map((list) => eventsOf(list.map((delta, at) => ({ ...correction(delta), turn: at >> 1 }))))

describe(`the fold (SEED=${SEED})`, () => {
  test('in batches equals one by one, and a state is plain JSON', () => {
    fc.assert(
      fc.property(logs, fc.nat(20), fc.nat(20), (events, x, y) => {
        const [first, second] = [Math.min(x, y), Math.max(x, y)]
        const batches = [events.slice(0, first), events.slice(first, second), events.slice(second)]
        const whole = foldAll(undefined, events)
        let state = foldAll(undefined, batches[0] ?? [])
        for (const batch of batches.slice(1)) {
          state = foldAll(state && JSON.parse(JSON.stringify(state)), batch)
        }
        expect(JSON.stringify(state)).toBe(JSON.stringify(whole))
      }),
      seeded(60),
    )
  })

  test('gives a packet that fits its schema, and leaves state and event as they were', () => {
    fc.assert(
      fc.property(fc.array(deltas, { maxLength: 8 }), (list) => {
        const events = eventsOf(list.map(correction))
        const before = JSON.stringify(events)
        const state = foldAll(undefined, events)
        if (!state) throw new Error('no state')
        const packet = packetOf(state, readerOf(estimate))
        expect(packetSchema.safeParse(packet).error).toBeUndefined()
        expect(JSON.stringify(events)).toBe(before)
      }),
      seeded(60),
    )
  })

  test('keeps its state within the caps, whatever is put in', () => {
    const update_knowledge = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`key ${at}`, `value ${at}`.repeat(20)]),
    )
    const state = stateAfter([
      { update_knowledge },
      { update_knowledge: { long: 'x'.repeat(1_000_000), [`k${'y'.repeat(10_000)}`]: 1 } },
      { add_diagnostics: Array.from({ length: 50_000 }, (_, at) => `problem ${at}`) },
      { set_focus: { place: 'p', text: 'line\n'.repeat(100_000) } },
      { add_action: Array.from({ length: 5_000 }, () => ({ tool: 't', summary: 's', outcome: 'success' })) },
      { set_hub_context: { context: { huge: 'x'.repeat(100_000), small: 1 }, freshness: 'now' } },
      {
        set_candidates: [
          { tool: 't', args: { a: 'x'.repeat(10_000) }, reason: '' },
          { tool: 'u', args: {}, reason: '' },
        ],
      },
    ])
    const { caps } = state.settings
    expect(Object.keys(state.knowledge).length).toBeLessThanOrEqual(caps['knowledge_entries'] ?? 0)
    expect(state.diagnostics.length).toBe(caps['diagnostics'])
    expect(state.diagnostics.at(-1)?.value).toBe('problem 49999')
    expect(state.actions.length).toBe(caps['kept_actions'])
    expect(state.forgotten?.count).toBe(5_000 - state.actions.length)
    expect(state.candidates?.value.map(({ tool }) => tool)).toEqual(['u'])
    expect(state.hub?.value.context).toEqual({ small: 1 })
    expect(JSON.stringify(state).length).toBeLessThan(1_000_000)
  })

  test('an event that changes nothing keeps the reference', () => {
    const state = stateAfter([{ update_knowledge: { a: 1 } }])
    const unchanging: Draft[] = [
      { type: 'model_response', data: { model: 'm', text: ' ' } },
      { type: 'agent_error', data: { where: 'model', message: 'no answer' } },
      { type: 'run_end', data: { reason: 'submitted', summary: 'done' } },
      correction({}),
      correction({ set_error: null, set_focus: null, set_hub_context: null, remove_knowledge: ['unknown'] }),
    ]
    for (const event of eventsOf(unchanging).slice(1)) expect(fold(state, event)).toBe(state)
  })

  test('a log begins with run_start, once', () => {
    const [start, other] = eventsOf([correction({})])
    if (!start || !other) throw new Error('no events')
    expect(refused('bad_event', () => fold(undefined, other)).message).toContain('begins with run_start')
    expect(refused('bad_event', () => fold(fold(undefined, start), start)).message).toContain('one run_start')
  })
})

describe('given, when, then', () => {
  test('an error is counted, cleared and still counted', () => {
    given([correction({ set_error: 'IndentError on line 5' })])
      .when(correction({ set_error: null }))
      .then({ last_error: null, error_count: 1 })
  })

  test('names of Object.prototype are knowledge like any other', () => {
    const update_knowledge = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}')
    const { packet, prompt } = given([]).when(correction({ update_knowledge }))
    expect(Object.keys(packet.knowledge)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(prompt).toContain('__proto__: a')
    given([correction({ update_knowledge })])
      .when(correction({ remove_knowledge: ['__proto__', 'constructor', 'valueOf'] }))
      .then({ knowledge: { toString: { value: 'c', source_turn: 0, stale: null } } })
  })

  test('superseded first, updated then, removed last', () => {
    given([correction({ update_knowledge: { a: 1, b: 1, c: 1 } })])
      .when(
        correction({
          supersedes: ['a', 'b'],
          update_knowledge: { b: 2, d: 2 },
          remove_knowledge: ['c', 'd'],
        }),
      )
      .then({ knowledge: { b: { value: 2, source_turn: 0, stale: null } } })
  })

  test('a null among the diagnostics clears those before it; a repeated line moves to the end', () => {
    given([correction({ add_diagnostics: ['a', 'b'] })])
      .when(correction({ add_diagnostics: ['a'] }))
      .then({ diagnostics: ['b', 'a'] })
    given([correction({ add_diagnostics: ['a', 'b'] })])
      .when(correction({ add_diagnostics: [null, 'c'] }))
      .then({ diagnostics: ['c'] })
  })

  test('an event that changes nothing leaves the packet', () => {
    given([])
      .when({ type: 'model_response', data: { model: 'm', text: '' } })
      .thenNothing()
  })

  test('short texts are shown like long ones', () => {
    given([])
      .when(correction({ set_error: 'disk full', set_state_summary: 'Stuck.' }))
      .then({ last_error: 'disk full', state_summary: 'Stuck.' })
  })

  test('what is left out is said, with its refs', () => {
    const action = { tool: 't', summary: 'did it', outcome: 'success' as const }
    const before = Array.from({ length: 30 }, () => correction({ add_action: [action] }))
    const large = given(before).when(correction({ add_action: [action] })).packet
    expect(large.recent_actions.length).toBe(31)
    expect(large.omitted).toEqual([])
    const { packet } = given(before, { packetSizeLimit: 200 }).when(correction({ add_action: [action] }))
    const hidden = 31 - packet.recent_actions.length
    expect(hidden).toBeGreaterThan(5)
    expect(packet.omitted).toEqual([
      expect.stringMatching(new RegExp(`^${hidden} earlier steps \\(#2-#\\d+\\)$`)),
    ])
  })

  test('a log that fills its packets in another order is refused, not shown in this one', () => {
    const [start] = eventsOf([])
    if (start?.type !== 'run_start') throw new Error('a log begins with run_start')
    const other = {
      ...start,
      data: { ...start.data, settings: { ...start.data.settings, view: 'desk-99' } },
    }
    const error = refused('unknown_view', () => packetOf(fold(undefined, other), readerOf(estimate)))
    expect(error.message).toContain('desk-99')
  })
})
