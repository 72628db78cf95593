import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/core/store/engine.ts'
import { memoryEngine } from '../../src/store/memory.ts'
import { type StoreSuiteOptions, storeSuite } from '../../src/testing/store-suite.ts'

/** Runs the suite without a runner: the names of the tests that fail, and of those that are skipped. */
async function failures(options: Omit<StoreSuiteOptions, 'name' | 'persistent'>, only?: string) {
  const tests: { name: string; body: () => Promise<void> }[] = []
  const skipped: string[] = []
  const collect = (name: string, body: () => Promise<void>) => tests.push({ name, body })
  storeSuite(
    { name: 'a store', persistent: false, ...options },
    {
      describe: (_, body) => body(),
      it: Object.assign(collect, { skip: (name: string) => skipped.push(name) }),
    },
  )
  const failed: string[] = []
  for (const { name, body } of tests)
    if (only === undefined || only === name) await body().catch(() => failed.push(name))
  return { failed, skipped }
}

/** An engine that is right but for some methods. */
const broken = (change: (engine: Engine) => Partial<Engine>) => async () => {
  const engine = memoryEngine()
  return { engine: { ...engine, ...change(engine) }, dispose: async () => {} }
}

describe('the store suite', () => {
  it('fails engines that break the contract', async () => {
    const mistakes: Readonly<Record<string, (engine: Engine) => Partial<Engine>>> = {
      'reads any range': (engine) => ({ read: (id) => engine.read(id, { from: 1, to: 99 }) }),
      'lists page by page, each log once': (engine) => ({
        list: (filter) => engine.list(filter, { limit: 99 }),
      }),
      'appends after the expected head alone, its hash included': (engine) => ({
        append: async (id, lines, expected) => {
          await engine.append(id, lines, expected).catch(() => {})
        },
      }),
      'keeps the logs of all ids apart': (engine) => ({
        append: (id, lines, expected) => engine.append(id.toLowerCase(), lines, expected),
        head: (id) => engine.head(id.toLowerCase()),
        read: (id, range) => engine.read(id.toLowerCase(), range),
      }),
      'says that a blob is missing, also when asked with something that is no digest': () => ({
        readBlob: async function* () {},
      }),
      'gives any range of a blob': (engine) => ({ readBlob: (digest) => engine.readBlob(digest) }),
      'says that a log is missing until its first event': () => ({
        head: async () => ({ bytes: Buffer.from('x') }),
      }),
      'removes blobs that no event names, and says before what would go': ({ maintain }) => ({
        ...(maintain
          ? { maintain: { ...maintain, sweep: async () => ({ blobs: 0, bytes: 0, waiting: 0 }) } }
          : {}),
      }),
    }
    for (const [name, change] of Object.entries(mistakes))
      expect((await failures({ make: broken(change) }, name)).failed, name).toEqual([name])
  })

  it('says of an engine that it has a capability which it does not have, or the other way round', async () => {
    const make = async () => {
      const { watch: _, ...engine } = memoryEngine()
      return { engine, dispose: async () => {} }
    }
    expect((await failures({ make }, 'reads any range')).failed).toEqual(['reads any range'])
    const { failed, skipped } = await failures({ make, without: ['watch'] }, 'reads any range')
    expect(failed).toEqual([])
    expect(skipped.some((name) => name.includes('it has no watch'))).toBe(true)
  })

  it('shows a skipped test with its reason, and refuses to skip what it does not have', async () => {
    const make = broken(() => ({}))
    const skip = [{ reason: 'no ranges here', tests: ['reads any range'] }]
    const { failed, skipped } = await failures({ make, skip })
    expect(failed).toEqual([])
    expect(skipped).toContain('reads any range (no ranges here)')
    await expect(failures({ make, skip: [{ reason: 'x', tests: ['no such test'] }] })).rejects.toThrow(
      'no such test',
    )
  })
})
