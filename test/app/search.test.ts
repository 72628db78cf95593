import { describe, expect, test } from 'vitest'
import { type Looked, searchText, type TextHit } from '../../src/app/inspected/search.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'

/** A log with one output, and what of it is found. */
async function searched(output: string | Uint8Array, text: string, inOneLog = 100) {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', operation: 'x', goal: 'g' })
  await memory.startTurn()
  const call = await memory.recordCall({ tool: 'shell', args: {} })
  await memory.recordResult({ call, returned: output, args: {} })
  await memory.close()
  const hits: TextHit[] = []
  const { signal } = new AbortController()
  for await (const found of searchText(store, ['a'], text, { signal, inOneLog }))
    if ('seq' in found) hits.push(found)
  return hits
}

describe('a text in raw output', () => {
  test('is found whatever its case, at its bytes, in its line', async () => {
    const output = 'Größe: 3\nfehler GRÜN. [x]\nlast'
    for (const text of ['fehler grün', 'FEHLER GRÜN. [X]']) {
      const [hit, ...more] = await searched(output, text)
      expect(more).toEqual([])
      expect(hit).toMatchObject({ part: 'raw_output', turn: 1, line: 'fehler GRÜN. [x]' })
      const { at = 0, length = 0 } = hit ?? {}
      expect(
        Buffer.from(output)
          .subarray(at, at + length)
          .toString(),
      ).toBe(text === 'fehler grün' ? 'fehler GRÜN' : 'fehler GRÜN. [x]')
    }
    expect(await searched(output, 'gr.n')).toEqual([])
  })

  test('is found in a large output, each place once, also where two stretches of it meet', async () => {
    const places = Array.from({ length: 60 }, (_, at) => 7 + at * 65_531)
    const bytes = Buffer.alloc(4_000_000, 'a line of ß\n')
    for (const at of places) bytes.write('Needle ü here', at, 'utf8')
    const hits = await searched(bytes.toString('utf8'), 'nEEDLE Ü HERE')
    const whole = Buffer.from(bytes.toString('utf8'))
    expect(hits).toHaveLength(60)
    for (const { at, length } of hits)
      expect(whole.subarray(at, at + length).toString()).toBe('Needle ü here')
    expect(await searched(whole.toString(), 'needle ü here', 3)).toHaveLength(3)
  })

  test('is found in bytes that are no text', async () => {
    const output = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0]),
      Buffer.from('\nneedle\n'),
      Buffer.from([0xc3]),
    ])
    expect(await searched(output, 'Needle')).toMatchObject([{ at: 4, length: 6, line: 'needle' }])
  })

  test('is looked for no further once nobody waits, and in the other logs when one is gone', async () => {
    const store = memoryStore()
    const names = ['a', 'b', 'c']
    for (const agentId of names) {
      const memory = await Memory.open({ store, agentId, operation: 'x', goal: 'g' })
      await memory.startTurn()
      await memory.record({ type: 'model_response', data: { model: 'm', text: 'a needle' } })
      await memory.close()
    }
    const gone = new AbortController()
    const found: (TextHit | Looked)[] = []
    for await (const one of searchText(store, ['none', ...names], 'needle', {
      signal: gone.signal,
      inOneLog: 3,
    })) {
      found.push(one)
      if (found.length === 2) gone.abort()
    }
    expect(found).toMatchObject([{ agent_id: 'a' }, { agent_id: 'b' }])
  })
})
