import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Draft, type Event, GENESIS } from '../../src/core/event/event.ts'
import { seal } from '../../src/core/event/line.ts'
import { runStartOf } from '../../src/core/memory/options.ts'
import { OPEN_CALLS_MAX, RECENT_CALLS_MAX, type RunState, runState } from '../../src/run/state.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { SEED, seeded } from '../core/memory/seeded.ts'

const declared = ['look', 'send', 'submit_result'].map((name) => ({ name, description: '', parameters: {} }))
const start: Draft = {
  type: 'run_start',
  data: runStartOf({ store: memoryStore(), agentId: 'a', goal: 'g', tools: declared }),
}
const turn: Draft = { type: 'turn_start', data: {} }
const answer: Draft = { type: 'model_response', data: { model: 'm', text: '', calls: [] } }
const call = (tool: string, call_id = 'c', args = {}): Draft => ({
  type: 'tool_call',
  data: { call_id, tool, args, effect: 'pure' },
})
const result = (tool: string, raw_output = 'out', call_id = 'c', error?: string): Draft => ({
  type: 'tool_result',
  data: {
    call_id,
    tool,
    outcome: error === undefined ? 'success' : 'error',
    ...(error === undefined ? {} : { error }),
    summarizer: 'test',
    output_sha256: sha256(raw_output),
    output_bytes: Buffer.byteLength(raw_output),
  },
})
const request = (prompt_tokens: number): Draft => ({
  type: 'model_request',
  data: {
    model: 'm',
    purpose: 'turn',
    context: 'packet',
    format: 'text',
    packet_sha256: GENESIS,
    prompt_sha256: GENESIS,
    prompt_tokens,
    tools_sha256: GENESIS,
  },
})
const silent: Draft = { type: 'agent_error', data: { where: 'answer', message: 'm', code: 'no_call' } }
const bundle: Draft = { type: 'escalation', data: { reason: 'r', model: 'large' }, raw: { bundle: {} } }
const advice: Draft = { type: 'escalation', data: { reason: 'r', model: 'large', answer: 'do this' } }
const end: Draft = { type: 'run_end', data: { reason: 'loop', summary: 'again and again' } }
const submitted: Draft = { type: 'submit_result', data: { result: {}, summary: 'all done' } }
const accept: Draft = { type: 'accepted', data: { files: [], by: 'me' } }

function eventsOf(drafts: readonly Draft[]): Event[] {
  const events: Event[] = []
  for (const draft of [start, ...drafts]) {
    const before = events.at(-1)
    const seq = events.length + 1
    const identity = {
      id: `e${seq}`,
      run_id: 'r',
      agent_id: 'a',
      operation: 'o',
      node_id: '-',
      seq,
      turn: (before?.turn ?? 0) + (draft.type === 'turn_start' ? 1 : 0),
      timestamp: new Date(0).toISOString(),
      prev: before?.hash ?? GENESIS,
      nonces: sampleNonces(`${seq}`),
    }
    events.push(seal(draft, identity, sha256).event)
  }
  return events
}

const foldOf = (events: readonly Event[], from?: RunState): RunState | undefined =>
  events.reduce<RunState | undefined>(runState, from)

const given = (...drafts: Draft[]) => ({
  when: (...more: Draft[]) => ({
    state: foldOf(eventsOf([...drafts, ...more])),
    expect: (expected: object) => expect(foldOf(eventsOf([...drafts, ...more]))).toMatchObject(expected),
  }),
})

describe('what a run needs besides the packet', () => {
  test('a turn begins without an answer', () => {
    given(turn, answer)
      .when(turn)
      .expect({ answer: undefined, agent: { events: 4 } })
  })

  test('an answer counts the calls that were begun', () => {
    given(turn)
      .when(answer)
      .expect({ answer: { seq: 3, begun: 0, settled: false } })
    given(turn, answer)
      .when(call('look', 'x'), result('look', 'out', 'x'), call('look', 'y'))
      .expect({ answer: { seq: 3, begun: 2, settled: true }, open: [{ seq: 6, call_id: 'y' }] })
  })

  test('an answer without a call is settled once its error is recorded', () => {
    given(turn, answer)
      .when(silent)
      .expect({ answer: { settled: true }, silent_answers: 1 })
    given(turn, answer, silent, turn, answer).when(silent).expect({ silent_answers: 2 })
    given(turn, answer, silent).when(call('look')).expect({ silent_answers: 0 })
  })

  test('an accepted submit is known by its call, a refused one is not', () => {
    given(turn, answer, call('submit_result')).when(result('submit_result')).expect({ accepted: 4, open: [] })
    given(turn, answer, call('submit_result'))
      .when(result('submit_result', 'no', 'c', 'does not fit'))
      .expect({ accepted: undefined })
    given(turn)
      .when(submitted)
      .expect({ submitted: { seq: 3, summary: 'all done' } })
  })

  test('declared tools are counted, others are not', () => {
    given(turn)
      .when(call('look'), call('look', 'd'), call('nonsense', 'e'))
      .expect({ calls: { look: 2, send: 0, submit_result: 0 } })
  })

  test('the same call has the same digest, whatever its id; with another result it is another step', () => {
    const { state } = given(turn).when(
      call('look', 'x', { at: 1 }),
      result('look', 'out', 'x'),
      call('look', 'y', { at: 1 }),
      result('look', 'other', 'y'),
      call('look', 'z', { at: 2 }),
    )
    const [first, second, third] = state?.recent.calls ?? []
    expect(first).toBe(second)
    expect(first).not.toBe(third)
    expect(new Set(state?.recent.steps).size).toBe(2)
  })

  test('a success ends a row of errors', () => {
    const fails = [call('look'), result('look', '', 'c', 'no')]
    given(...fails, ...fails)
      .when()
      .expect({ recent: { errors_in_a_row: 2 } })
    given(...fails)
      .when(call('look'), result('look'))
      .expect({ recent: { errors_in_a_row: 0 } })
  })

  test.each([
    ['an end', end],
    ['advice', advice],
  ])('%s lets a run begin anew', (_, event) => {
    given(call('look'), result('look'))
      .when(event)
      .expect({ recent: { calls: [], steps: [], errors_in_a_row: 0 } })
  })

  test('escalations are counted when handed, and known by the turn of their answer', () => {
    given(turn)
      .when(bundle)
      .expect({ escalations: { handed: 1, answered_in_turn: undefined } })
    given(turn, bundle, advice, turn)
      .when(bundle)
      .expect({ escalations: { handed: 2, answered_in_turn: 1 } })
  })

  test('an ended run stays ended when its changes are accepted, and not when it goes on', () => {
    given(turn, end)
      .when(accept)
      .expect({ agent: { outcome: 'failed', reason: 'loop', summary: 'again and again' } })
    given(turn, end)
      .when(turn)
      .expect({ agent: { outcome: 'open' } })
  })

  test('totals: events, bytes of raw output, prompt tokens and the largest prompt', () => {
    given(request(10), request(30), request(20))
      .when(call('look'), result('look', 'é'))
      .expect({ agent: { events: 6, raw_bytes: 2, prompt_tokens: 60, prompt_tokens_max: 30 } })
  })
})

const drafts = fc.constantFrom<Draft>(
  turn,
  answer,
  silent,
  bundle,
  advice,
  end,
  accept,
  submitted,
  request(7),
  call('look', 'x'),
  call('send', 'y', { a: 1 }),
  call('submit_result', 'z'),
  result('look', 'out', 'x'),
  result('send', 'out', 'y', 'no'),
  result('submit_result', '{}', 'z'),
)

describe(`as a fold (SEED=${SEED})`, () => {
  test('any split gives the same, also through JSON, and no event is changed', () => {
    fc.assert(
      fc.property(fc.array(drafts, { maxLength: 60 }), fc.nat(60), (list, at) => {
        const events = eventsOf(list)
        const before = JSON.stringify(events)
        const first = foldOf(events.slice(0, at))
        const stored = first && (JSON.parse(JSON.stringify(first)) as RunState)
        expect(foldOf(events.slice(at), stored)).toEqual(foldOf(events))
        expect(JSON.stringify(events)).toBe(before)
      }),
      seeded(100),
    )
  })

  test('is bounded, however long the log is', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => call(`tool_${at}`, `id_${at}`, { at }))
    const state = foldOf(eventsOf(many))
    expect(state?.open).toHaveLength(OPEN_CALLS_MAX)
    expect(state?.recent.calls).toHaveLength(RECENT_CALLS_MAX)
    expect(Object.keys(state?.calls ?? {})).toHaveLength(3)
  })
})
