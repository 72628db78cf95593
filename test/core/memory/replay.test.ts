import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../../src/audit/verify.ts'
import { stateAt } from '../../../src/core/memory/at.ts'
import { loadTokenizer } from '../../../src/core/memory/tokenizer.ts'
import type { State } from '../../../src/core/packet/state.ts'
import { type Prompt, promptOf } from '../../../src/core/view/prompt.ts'
import { readerOf } from '../../../src/core/view/reader.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { clock } from './clock.ts'
import { histories, play } from './histories.ts'
import { SEED, seeded } from './seeded.ts'

async function promptAt(state: State): Promise<Prompt> {
  return promptOf(state, readerOf(await loadTokenizer(state.settings.tokenizer)))
}

const renderings = fc.constantFrom('json' as const, 'outline' as const)

describe(`a replay (SEED=${SEED})`, () => {
  test('equals the live packet and prompt at every seq, and verifies', async () => {
    await fc.assert(
      fc.asyncProperty(histories, renderings, async (steps, rendering) => {
        const store = memoryStore()
        const memory = await Memory.open({ store, agentId: 'a', goal: 'g', rendering, ...clock() })
        const live = new Map<number, string>()
        // Stringified at once: order counts, and a later change would show.
        const keep = () => live.set(memory.head.seq, JSON.stringify(memory.packet))
        keep()
        await play(memory, steps, keep)
        const text = (await memory.prompt()).text
        await memory.close()
        for (const [seq, packet] of live) {
          const { state } = await stateAt(store, 'a', { seq })
          expect(JSON.stringify((await promptAt(state)).packet)).toBe(packet)
        }
        const again = await Memory.open({ store, agentId: 'a' })
        expect((await again.prompt()).text).toBe(text)
        await again.close()
        expect((await verifyLog(store, 'a')).findings).toEqual([])
      }),
      seeded(60),
    )
  })

  test('of a log that was closed and reopened anywhere is the same log', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(25), async (steps, at) => {
        const whole = await recorded([steps])
        const parts = await recorded([steps.slice(0, at), steps.slice(at)])
        expect(parts).toEqual(whole)
      }),
      seeded(30),
    )
  })
})

async function recorded(parts: readonly (readonly Parameters<typeof play>[1][number][])[]): Promise<unknown> {
  const store = memoryStore()
  const ids = clock()
  let packet: unknown
  for (const steps of parts) {
    const memory = await Memory.open({ store, agentId: 'a', goal: 'g', ...ids })
    await play(memory, steps)
    packet = memory.packet
    await memory.close()
  }
  return { packet, head: await store.head('a') }
}
