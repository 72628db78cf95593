import { describe, expect, test } from 'vitest'
import { blindSpots } from '../../src/audit/blindspots/blindspots.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { MemoryOptions } from '../../src/memory.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'

const AGENT = 'agent'
type Call = readonly [tool: string, args: Record<string, string | number>, output: unknown]

/** One call a turn. */
async function recorded(calls: readonly Call[], options: Partial<MemoryOptions> = {}): Promise<Store> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: AGENT, goal: 'Make the build pass', ...options })
  for (const [tool, args, output] of calls) {
    await memory.startTurn()
    const call = await memory.recordCall({ tool, args })
    await memory.recordResult({ call: call as EventFor<'tool_call'>, returned: output, args })
  }
  await memory.close()
  return store
}

const noise = (lines: number) =>
  Array.from({ length: lines }, (_, at) => `compiled unit number ${at}`).join('\n')
const huge = `${noise(400)}\nTypeError: cannot read property 'price' of undefined\n    at total (src/cart.ts:42:7)\n${noise(400)}`
const terse = {
  build: { name: 'terse', version: '3', summarize: () => ({ summary: 'An error occurred', output: null }) },
}

describe('a tool returned a huge error, and the summary said only that an error occurred', () => {
  test('the error is the first blind spot, and the summarizer is to blame', async () => {
    const store = await recorded(
      [
        ['build', {}, huge],
        ['build', { again: 'yes' }, new Error('no such option: again')],
        ['look', {}, 'nothing to see'],
      ],
      { summarizers: terse },
    )
    const { spots, decisions, blind } = await blindSpots(store, AGENT)
    expect({ decisions, blind }).toEqual({ decisions: 3, blind: 1 })
    expect(spots[0]).toMatchObject({
      turn: 2,
      seq: 4,
      line: 401,
      text: "TypeError: cannot read property 'price' of undefined",
      kind: 'error',
      harm: [{ kind: 'failed_after', turn: 2 }],
      blame: { by: 'summarizer', name: 'terse', version: '3' },
    })
  })

  test('no blind spot when the summarizer says it', async () => {
    const store = await recorded([
      ['build', {}, huge],
      ['look', {}, 'nothing to see'],
    ])
    expect((await blindSpots(store, AGENT)).spots).toEqual([])
  })
})

describe('what a later call named', () => {
  test('a number that one chooses is none of it, and neither is the device that takes all, wherever it stood; one of an output is', async () => {
    const output = `${noise(100)}\n30→ <div>\n2000→ </div>\n+++ /dev/null\nlistening as process 48213\n${noise(100)}`
    const store = await recorded(
      [
        ['shell', { command: 'make serve' }, output],
        ['shell', { command: 'true' }, noise(200)],
        [
          'shell',
          { command: 'make test --limit 2000 2>/dev/null | tail -30 && kill 48213' },
          new Error('no such process'),
        ],
      ],
      { packetSizeLimit: 300 },
    )
    const { spots } = await blindSpots(store, AGENT, { turn: 3 })
    expect(spots.map(({ names }) => names)).toEqual([['48213']])
  })

  test('is found with its line, and the view is to blame when the state still held it', async () => {
    const many = Array.from({ length: 300 }, (_, at) => `src/module_${at}.py defines handler_${at}`).join(
      '\n',
    )
    const store = await recorded(
      [
        ['shell', { command: 'make list' }, many],
        ['shell', { command: 'true' }, noise(200)],
        ['shell', { command: 'cat src/module_150.py' }, 'pass'],
      ],
      { packetSizeLimit: 300 },
    )
    const { spots, names_missed } = await blindSpots(store, AGENT, { turn: 3 })
    expect(names_missed).toBeGreaterThan(0)
    expect(spots[0]).toMatchObject({
      turn: 3,
      seq: 4,
      line: 151,
      kind: 'path',
      harm: [{ kind: 'named', turn: 3 }],
      blame: { by: 'view', name: 'recent_actions' },
    })
    expect(spots[0]?.names).toContain('src/module_150.py')
  })

  test("is no spot when no output had said it: it is the model's own", async () => {
    const store = await recorded([
      ['shell', { command: 'ls' }, 'README.md'],
      ['shell', { command: 'cat src/made_up.py' }, 'no such file'],
    ])
    expect((await blindSpots(store, AGENT)).spots).toEqual([])
  })

  test('counts for more when the call failed', async () => {
    const hidden = { peek: { name: 'hides', summarize: () => ({ summary: 'Peeked', output: null }) } }
    const listed = 'token_alpha=1\ntoken_beta=2'
    const store = await recorded(
      [
        ['peek', {}, listed],
        ['use', { name: 'token_alpha' }, 'fine'],
        ['use', { name: 'token_beta' }, new Error('expired')],
      ],
      { summarizers: hidden },
    )
    const { spots } = await blindSpots(store, AGENT)
    expect(spots.map(({ names, harm }) => [names[0], harm[0]?.kind])).toEqual([
      ['token_beta', 'call_failed'],
      ['token_alpha', 'named'],
    ])
  })
})

test('a call that is made again, with the same answer, tells that the first was not shown', async () => {
  const store = await recorded(
    [
      ['status', {}, 'queue depth is seventeen'],
      ['other', {}, 'fine'],
      ['status', {}, 'queue depth is seventeen'],
    ],
    { summarizers: { status: { name: 'quiet', summarize: () => ({ summary: 'Asked', output: null }) } } },
  )
  const { spots } = await blindSpots(store, AGENT)
  expect(spots[0]).toMatchObject({ turn: 3, seq: 4, line: 1, harm: [{ kind: 'asked_again', turn: 3 }] })
})

test('of JSON only what its texts say counts: a count of no errors is none', async () => {
  const fine = { errors: 0, failed: 0, output: 'all fine' }
  const broken = { errors: 1, failures: [{ message: 'AssertionError: nought is not eight' }] }
  const quiet = { check: { name: 'quiet', summarize: () => ({ summary: 'Checked', output: null }) } }
  const calls = (result: unknown): Call[] => [
    ['check', {}, result],
    ['other', {}, 'fine'],
  ]
  expect((await blindSpots(await recorded(calls(fine), { summarizers: quiet }), AGENT)).spots).toEqual([])
  expect(
    (await blindSpots(await recorded(calls(broken), { summarizers: quiet }), AGENT)).spots,
  ).toMatchObject([{ text: 'AssertionError: nought is not eight', kind: 'error', line: 1 }])
})

test('an exit code that a pipe hid is named', async () => {
  const store = await recorded(
    [
      ['shell', { command: 'make | tail -1' }, '<returncode>2</returncode>\n<output>\nall fine\n</output>'],
      ['other', {}, 'fine'],
    ],
    {
      summarizers: {
        shell: { name: 'blind', summarize: () => ({ summary: 'Ran it', outcome: 'success', output: null }) },
      },
    },
  )
  expect((await blindSpots(store, AGENT)).spots[0]).toMatchObject({ kind: 'exit_code', seq: 4, line: 1 })
})
