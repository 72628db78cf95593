import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { utf8Length } from '../../../src/core/event/bytes.ts'
import type { Delta } from '../../../src/core/event/delta.ts'
import { type Draft, EVENT_VERSION, GENESIS } from '../../../src/core/event/event.ts'
import { type Identity, isPruned, open, prune, seal, toEvent } from '../../../src/core/event/line.ts'
import { sha256 } from '../../../src/sha256.ts'
import { refused } from '../../../src/testing/given.ts'
import { sampleNonces } from '../../../src/testing/sample-log.ts'
import { deltas } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'

const identity: Identity = {
  id: 'e1',
  run_id: 'r',
  agent_id: 'a',
  operation: 'lint',
  node_id: 'src/a.py:f',
  seq: 1,
  turn: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  prev: GENESIS,
  nonces: sampleNonces('line'),
}

const correction = (delta: Delta, note = 'n'): Draft => ({
  type: 'correction',
  data: { by: 't', note },
  delta,
})
const openText = (line: string) => open(Buffer.from(line), sha256)

describe(`one event as one line (SEED=${SEED})`, () => {
  test('reads back as it was sealed, in the same order', () => {
    fc.assert(
      fc.property(deltas, fc.string({ unit: 'binary' }), (delta, note) => {
        const { event, line } = seal(correction(delta, note), identity, sha256)
        expect(line).not.toContain('\n')
        expect(JSON.stringify(toEvent(openText(line)))).toBe(JSON.stringify(event))
      }),
      seeded(150),
    )
  })

  test('the same event gives the same bytes, whatever the order of its keys', () => {
    const one = seal(
      correction({ update_knowledge: { a: 1, b: { c: 1, d: 2 } }, set_error: 'x' }),
      identity,
      sha256,
    )
    const other = seal(
      {
        delta: { set_error: 'x', update_knowledge: { b: { d: 2, c: 1 }, a: 1 } },
        data: { note: 'n', by: 't' },
        type: 'correction',
      },
      Object.fromEntries(Object.entries(identity).reverse()) as unknown as Identity,
      sha256,
    )
    expect(other.line).toBe(one.line)
  })

  test('a key named __proto__ is kept', () => {
    const delta: Delta = { update_knowledge: JSON.parse('{"__proto__":{"polluted":1}}') }
    const { event, line } = seal(correction(delta), identity, sha256)
    expect(line).toContain('"__proto__":{"polluted":1}')
    expect(Object.keys(event.delta?.update_knowledge ?? {})).toEqual(['__proto__'])
    expect(Object.keys(toEvent(openText(line)).delta?.update_knowledge ?? {})).toEqual(['__proto__'])
    expect('polluted' in {}).toBe(false)
  })

  test('without its raw part an event has the same hash, data and delta', () => {
    const draft: Draft = {
      ...correction({}),
      type: 'escalation',
      data: { reason: 'r' },
      raw: { bundle: 'secret' },
    }
    const { line, event } = seal(draft, identity, sha256)
    const opened = open(prune(Buffer.from(line), sha256), sha256)
    expect(isPruned(opened)).toBe(true)
    expect(toEvent(opened)).toEqual({ ...event, raw: null })
    expect(refused('damaged', () => openText(line.replace('"secret"', '"public"'))).message).toContain(
      'raw part',
    )
  })

  test('a raw field that the type does not have is refused', () => {
    const draft: Draft = { type: 'turn_start', data: {}, raw: { prompt: 'x' } }
    expect(refused('bad_event', () => seal(draft, identity, sha256)).message).toContain('prompt')
  })

  test('any byte changed is noticed', () => {
    const { line } = seal(correction({ set_error: 'ünïcode' }), identity, sha256)
    const bytes = Buffer.from(line)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => open(changed, sha256), `byte ${at}`).toThrow()
    }
    for (const cut of [0, 1, 10, bytes.length - 1])
      expect(() => open(bytes.subarray(0, cut), sha256)).toThrow()
  })

  test('length in UTF-8 is that of the encoder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text))
      }),
      seeded(200),
    )
  })
})

describe('what cannot be recorded is refused, with its place', () => {
  const sealing = (draft: unknown, changes: Partial<Identity> = {}) =>
    refused('bad_event', () => seal(draft as Draft, { ...identity, ...changes }, sha256)).message

  test('data', () => {
    expect(sealing({ type: 'correction', data: { by: 't' } })).toContain('note')
    expect(sealing({ type: 'correction', data: { by: 't', note: 'n', more: 1 } })).toContain('more')
    expect(sealing({ type: 'tool_call', data: { call_id: 1 } })).toContain('call_id')
    expect(sealing({ type: 'run_end', data: { reason: 'bored', summary: '' } })).toContain('reason')
    expect(sealing({ type: 'thought', data: {} })).toMatch(/no event type "thought".*tool_result/)
    expect(sealing({ type: 'hasOwnProperty', data: {} })).toContain('no event type')
  })

  test('delta', () => {
    expect(sealing(correction({ unknown: 1 } as Delta))).toContain('unknown')
    expect(sealing(correction({ add_action: [{ tool: 't' }] } as unknown as Delta))).toContain(
      'add_action.0.summary',
    )
    expect(sealing(correction({ set_error: 7 } as unknown as Delta))).toContain('set_error')
  })

  test('header', () => {
    expect(sealing(correction({}), { agent_id: '' })).toContain('agent_id')
    expect(sealing(correction({}), { node_id: 'x'.repeat(600) })).toContain('node_id')
    expect(sealing(correction({}), { seq: 0 })).toContain('seq')
    expect(sealing(correction({}), { timestamp: 'yesterday' })).toContain('timestamp')
  })

  test('too deep and too large', () => {
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 100; level++) deep = { deep }
    const sealDelta = (delta: unknown) => () => seal(correction(delta as Delta), identity, sha256)
    expect(refused('limit', sealDelta({ update_knowledge: deep })).message).toContain('deep')
    const large = { set_error: 'x'.repeat(9_000_000) }
    expect(refused('limit', sealDelta(large)).message).toMatch(/over the limit/)
  })

  test('a newer version, before anything else is looked at', () => {
    const { line } = seal(correction({}), identity, sha256)
    const header = line
      .slice('{"header":'.length, line.indexOf(',"hash":"'))
      .replace('"v":1', `"v":${EVENT_VERSION + 1}`)
    const newer = `{"header":${header},"hash":"${sha256(header)}"${line.slice(line.indexOf(',"payload_bytes":'))}`
    expect(refused('newer_version', () => openText(newer)).message).toMatch(/version 2.*up to 1.*Upgrade/)
  })
})
