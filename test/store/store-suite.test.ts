import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/store/store.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { type StoreSuiteOptions, storeSuite } from '../../src/testing/store-suite.ts'

/** Runs the suite without a runner: the names of the tests that fail, and of those that are skipped. */
async function failures(options: Omit<StoreSuiteOptions, 'name' | 'persistent'>) {
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
  for (const { name, body } of tests) await body().catch(() => failed.push(name))
  return { failed, skipped }
}

/** A store that is right but for some methods. */
function broken(change: (store: Store) => Partial<Store>) {
  return async () => {
    const store = memoryStore()
    const changed: Store = new Proxy(store, {
      get: (_, key) => {
        const value: unknown = Reflect.get({ ...change(store) }, key) ?? Reflect.get(store, key)
        return typeof value === 'function' ? value.bind(store) : value
      },
    })
    return { store: changed, dispose: () => store.close() }
  }
}

describe('the store suite', () => {
  it('fails stores that break the contract', async () => {
    const mistakes: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
      'reads any range': (store) => ({ read: (agentId) => store.read(agentId) }),
      'lists logs by node, run, operation and any combination, oldest first': (store) => ({
        list: () => store.list(),
      }),
      'refuses events after another seq than the last, and leaves the log as it was': (store) => ({
        open: async (agentId) => {
          const writer = await store.open(agentId)
          return { ...writer, append: (events) => writer.append(events, writer.head.seq) }
        },
      }),
      'keeps the logs of all ids apart': (store) => ({
        open: (agentId) => store.open(agentId.toLowerCase()),
      }),
      'says that a blob is missing, also when asked with something that is no digest': () => ({
        readBlob: async function* () {},
      }),
    }
    for (const [name, change] of Object.entries(mistakes)) {
      expect((await failures({ make: broken(change) })).failed).toContain(name)
    }
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
