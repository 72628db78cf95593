import { describe, expect, test } from 'vitest'
import { History } from '../../src/audit/history.ts'
import { whatIf, whatIfTurn } from '../../src/audit/whatif/whatif.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { MemoryOptions } from '../../src/memory.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { success } from '../../src/tool/result.ts'
import { SCENARIOS } from '../golden/scenarios.ts'
import { storeOf } from './golden-store.ts'

const AGENT = 'agent'
const terse = [{ name: 'terse', version: '2', summarize: () => ({ summary: 'Done', output: null }) }]

/** A listing, much else, and a call that needs a line of the listing. */
async function recorded(options: Partial<MemoryOptions> = {}): Promise<Store> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: AGENT, goal: 'Find the handler', ...options })
  const listing = Array.from({ length: 60 }, (_, at) => `src/module_${at}.py defines handler_${at}`).join(
    '\n',
  )
  const calls: readonly [string, string, unknown][] = [
    ['shell', 'make list', listing],
    ['shell', 'make all', 'compiled without a word\n'.repeat(120)],
    ['shell', 'cat src/module_30.py', 'pass'],
    ['check', 'own words', success('42', 'Everything is checked', { checked: 42 })],
  ]
  for (const [tool, command, returned] of calls) {
    await memory.startTurn()
    const args = { command }
    const call = await memory.recordCall({ tool, args })
    await memory.recordResult({ call: call as EventFor<'tool_call'>, returned, args })
  }
  await memory.startTurn()
  await memory.recordCall({ tool: 'done', args: {} })
  await memory.close()
  return store
}

const headOf = async (store: Store) => JSON.stringify(await store.head(AGENT))

describe('whatIf', () => {
  test.each(Object.entries(SCENARIOS))(
    '%s: with what it was recorded with, nothing changes',
    async (_, record) => {
      const { store, agent } = await storeOf(await record())
      const { turns, balance } = await whatIf(store, agent, { summarizers: [] })
      expect(turns.filter(({ changes }) => changes > 0)).toEqual([])
      expect(balance).toBe(0)
    },
  )

  test('a smaller packet opens blind spots, a larger one closes them, and the log stays as it is', async () => {
    const [large, small] = [
      await recorded({ packetSizeLimit: 3000 }),
      await recorded({ packetSizeLimit: 300 }),
    ]
    const before = await headOf(large)
    const shrunk = await whatIf(large, AGENT, { limit: 300 })
    expect(shrunk.opened.flatMap(({ names }) => names)).toContain('src/module_30.py')
    expect(shrunk.closed).toEqual([])
    expect(shrunk.balance).toBeLessThan(0)
    expect(shrunk.tokens.after).toBeLessThan(shrunk.tokens.before)
    for (const { tokens } of shrunk.turns) expect(tokens.after).toBeLessThanOrEqual(300)
    const grown = await whatIf(small, AGENT, { limit: 3000 })
    expect(grown.closed.flatMap(({ names }) => names)).toContain('src/module_30.py')
    expect(grown.balance).toBe(-shrunk.balance)
    expect(await headOf(large)).toBe(before)
  })

  test('other summarizers speak of the raw output; what a tool said itself stays', async () => {
    const store = await recorded()
    const { opened, summarized, kept, turns } = await whatIf(store, AGENT, { summarizers: terse })
    expect({ summarized, kept }).toEqual({ summarized: 3, kept: 1 })
    expect(opened[0]?.blame).toEqual({ by: 'summarizer', name: 'terse', version: '2' })
    const history = await History.open(store, AGENT)
    const { packets, turn, tokens, changes } = await whatIfTurn(history, 4, { summarizers: terse })
    expect(packets.before).toContain('src/module_30.py')
    expect(packets.after).toContain('→ Done')
    // One turn by itself is what the whole says of it.
    expect(turns.find((one) => one.turn === 4)).toMatchObject({ turn, tokens, changes })
    const last = await whatIfTurn(history, 5, { summarizers: terse })
    expect(last.packets.after).toContain('Everything is checked')
  })

  test('another rendering of the same view changes no leaf', async () => {
    const history = await History.open(await recorded(), AGENT)
    const { packets, changes } = await whatIfTurn(history, 3, { view: 'desk:json' })
    expect(packets.after).toMatch(/^\{"packet_version"/)
    expect(changes).toBe(0)
  })

  test('what can not be folded is refused with what can', async () => {
    const store = await recorded()
    await expect(whatIf(store, AGENT, { view: 'desk-99' })).rejects.toThrow(/no view "desk-99".*desk/)
    await expect(whatIf(store, AGENT, { view: 'desk:pdf' })).rejects.toThrow(/say json or outline/)
    await expect(whatIf(store, AGENT, { limit: 3 })).rejects.toThrow(/packet of 3 tokens/)
  })
})
