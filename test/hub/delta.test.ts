import { describe, expect, it } from 'vitest'
import { canonical } from '../../src/core/event/json.ts'
import { stateAt } from '../../src/core/memory/at.ts'
import { loadTokenizer } from '../../src/core/memory/tokenizer.ts'
import { promptOf } from '../../src/core/view/prompt.ts'
import { readerOf } from '../../src/core/view/reader.ts'
import { hubUpdate } from '../../src/hub/delta.ts'
import type { HubAnswer, NodeState } from '../../src/hub/hub.ts'
import { nodesInView } from '../../src/hub/in-view.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { memoryHub } from './memory-hub.ts'

const KEY = 'shop/stock.py:take'

const stateWith = (changes: Partial<NodeState> = {}): NodeState => ({
  key: KEY,
  path: 'shop/stock.py',
  type: 'function',
  signature: 'def take(n)',
  docstring: 'Takes n.',
  docstring_outdated: false,
  callees: [],
  callers: [{ key: 'shop/use.py:use', certain: true }],
  tests: [],
  start_line: 1,
  end_line: 2,
  source_hash: 'a',
  file_hash: 'b',
  stale: false,
  updated_at: '2026-01-01T00:00:00.000Z',
  ...changes,
})

const answerWith = (...states: NodeState[]): HubAnswer => ({
  states,
  freshness: states[0]?.updated_at ?? '',
  source: 'test',
})

const memoryFor = (store = memoryStore()) =>
  Memory.open({ store, agentId: 'a', goal: 'g', node: { id: KEY, type: 'function' } })

describe('what a packet learns from the hub', () => {
  it('is the short form of a state, with its own time', async () => {
    const memory = await memoryFor()
    const state = stateWith({
      docstring_outdated: true,
      callers: [
        { key: 'b.py:guess', certain: false },
        ...Array.from({ length: 6 }, (_, at) => ({ key: `c.py:f${at}`, certain: true })),
      ],
    })
    expect(hubUpdate(memory.state, answerWith(state))?.delta).toEqual({
      set_node_summary:
        'def take(n): Takes n. (older than the signature). ' +
        'Called by c.py:f0, c.py:f1, c.py:f2, c.py:f3, c.py:f4, and 2 more. Tested by nothing known.',
      set_hub_context: {
        freshness: '2026-01-01T00:00:00.000Z',
        context: {
          [KEY]: {
            signature: 'def take(n)',
            docstring: 'Takes n.',
            docstring_outdated: true,
            callers: ['c.py:f0', 'c.py:f1', 'c.py:f2', 'c.py:f3', 'c.py:f4', 'and 2 more'],
            tests: [],
          },
        },
      },
    })
  })

  it('is nothing when the packet shows it already, or only lines and times moved', async () => {
    const memory = await memoryFor()
    const update = hubUpdate(memory.state, answerWith(stateWith()))
    if (update) await memory.record(update)
    expect(Object.keys(memory.state.hub?.value.context ?? {})).toEqual([KEY])
    expect(memory.packet.node_summary).toContain('def take(n)')
    const moved = stateWith({
      start_line: 9,
      end_line: 10,
      updated_at: '2026-02-01T00:00:00.000Z',
    })
    expect(hubUpdate(memory.state, answerWith(moved))?.delta).toBeUndefined()
    expect(hubUpdate(memory.state, answerWith())?.delta).toBeUndefined()
    expect(
      hubUpdate(memory.state, answerWith(stateWith({ signature: 'def take(n, m)' })))?.data.nodes,
    ).toEqual([KEY])
  })

  it('says that a node it works on is gone, and not that every word like a path is', async () => {
    const memory = await memoryFor()
    const update = hubUpdate(memory.state, { ...answerWith(), missing: [KEY, 'made/up.py'] })
    expect(update?.delta?.set_hub_context?.context).toEqual({ [KEY]: 'not in the code now' })
  })

  it('is recorded without a change when only the hub went away', async () => {
    const memory = await memoryFor()
    expect(hubUpdate(memory.state, { ...answerWith(), note: 'The hub is gone.' })).toEqual({
      type: 'hub_update',
      data: { nodes: [], source: 'test', note: 'The hub is gone.' },
    })
  })

  it('stays within its bound, however much there is to say', async () => {
    const memory = await memoryFor()
    const many = Array.from({ length: 100 }, (_, at) =>
      stateWith({
        key: `${'k'.repeat(200)}${at}`,
        signature: 's'.repeat(10_000),
        docstring: 'd'.repeat(10_000),
      }),
    )
    const context = hubUpdate(memory.state, answerWith(...many))?.delta?.set_hub_context?.context ?? {}
    expect(Object.keys(context).length).toBeGreaterThan(2)
    expect(canonical(context).length).toBeLessThan(4_400)
  })
})

it('says which files import a file, and nothing where none does', async () => {
  const memory = await memoryFor()
  const used = stateWith({
    key: 'a.py',
    type: 'file',
    signature: '',
    docstring: null,
    callers: [],
    tests: [],
  })
  const edges = { callers: [{ key: 'use.py', certain: true }], tests: [{ key: 'test_a.py', certain: true }] }
  const contextOf = (state: NodeState) =>
    hubUpdate(memory.state, { states: [state], freshness: '2026', source: 'index' })?.delta?.set_hub_context
      ?.context
  expect(contextOf({ ...used, ...edges })).toEqual({
    'a.py': { imported_by: ['use.py'], tests: ['test_a.py'] },
  })
  expect(contextOf(used)).toBeUndefined()
})

it('shows what a source knows besides with the state of its node', async () => {
  const memory = await memoryFor()
  const facts = { [KEY]: 'Never below 0.', 'the till': 'Closes at ten.' }
  const update = hubUpdate(memory.state, { states: [stateWith()], facts, freshness: '', source: 'wiki' })
  expect(update?.delta?.set_hub_context?.context).toMatchObject({
    [KEY]: { signature: 'def take(n)', note: 'Never below 0.' },
    'the till': 'Closes at ten.',
  })
})

it('finds the nodes that a turn is about', async () => {
  const memory = await memoryFor()
  await memory.record({
    type: 'correction',
    data: { by: 't', note: '' },
    delta: {
      add_action: [
        { tool: 'read', summary: 'Read ./shop/use.py:12, 3 lines (see docs/a.md).', outcome: 'success' },
        { tool: 'test', summary: 'FAILED shop/stock.py:Box.open: took "src/a b.ts".', outcome: 'error' },
      ],
    },
  })
  expect(nodesInView(memory.state)).toEqual([KEY, 'shop/stock.py:Box.open', 'b.ts', 'shop/use.py'])
})

it('finds them also where the packet has no space to show them', async () => {
  const memory = await Memory.open({
    store: memoryStore(),
    agentId: 'a',
    goal: 'g',
    node: { id: KEY, type: 'function' },
    packetSizeLimit: 150,
  })
  const action = (summary: string) => ({ tool: 'read', summary, outcome: 'success' as const })
  const others = Array.from({ length: 9 }, (_, at) => action(`Looked ${'at this and that '.repeat(9)}${at}.`))
  const add_action = [action('Read shop/use.py.'), ...others]
  await memory.record({ type: 'correction', data: { by: 't', note: '' }, delta: { add_action } })
  expect(JSON.stringify(memory.packet)).not.toContain('shop/use.py')
  expect(nodesInView(memory.state)).toEqual([KEY, 'shop/use.py'])
  const update = hubUpdate(memory.state, answerWith(stateWith()))
  if (update) await memory.record(update)
  expect(hubUpdate(memory.state, answerWith(stateWith()))).toBeUndefined()
})

it('replays every packet of a run with hub updates when no hub is there', async () => {
  const store = memoryStore()
  const memory = await memoryFor(store)
  const hub = memoryHub([stateWith()])
  const live = new Map<number, string>()
  let since: string | undefined
  for (let turn = 1; turn <= 6; turn++) {
    await memory.startTurn()
    if (turn === 3)
      hub.put(stateWith({ signature: 'def take(n, m)', updated_at: '2026-01-02T00:00:00.000Z' }))
    if (turn === 5) hub.remove(KEY)
    const answer = await hub.pull(nodesInView(memory.state), since)
    since = answer.freshness
    const update = hubUpdate(memory.state, answer)
    expect(update !== undefined).toBe(turn % 2 === 1)
    if (update) await memory.record(update)
    live.set(memory.head.seq, JSON.stringify(memory.packet))
  }
  await memory.close()
  await hub.close()
  for (const [seq, packet] of live) {
    const { state } = await stateAt(store, 'a', { seq })
    const reader = readerOf(await loadTokenizer(state.settings.tokenizer))
    expect(JSON.stringify(promptOf(state, reader).packet)).toBe(packet)
  }
})
