import assert from 'node:assert/strict'
import { storeOver } from '../core/store/store-over.ts'
import { blobCases } from './store-cases/blobs.ts'
import type { StoreCases, StoreFixture } from './store-cases/case.ts'
import { idCases } from './store-cases/ids.ts'
import { leaseCases } from './store-cases/lease.ts'
import { listCases } from './store-cases/lists.ts'
import { logCases } from './store-cases/logs.ts'
import { maintainCases } from './store-cases/maintain.ts'
import { portCases } from './store-cases/port.ts'
import { tailCases } from './store-cases/tail.ts'
import { watchCases } from './store-cases/watch.ts'

export type { StoreFixture } from './store-cases/case.ts'

type Capability = 'watch' | 'lease' | 'maintain'

export interface StoreSuiteOptions {
  readonly name: string
  /** A new, empty engine for each test. */
  make(): Promise<StoreFixture>
  /** Whether data outlives the engine object; then `make` gives a `reopen`. True unless said otherwise. */
  readonly persistent?: boolean
  /** The capabilities that the engine does not have. */
  readonly without?: readonly ('watch' | 'lease' | 'maintain')[]
  /** Tests this engine does not pass, by name, each with the reason that users of the store are told. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[]
}

const required = {
  port: portCases,
  logs: logCases,
  tail: tailCases,
  lists: listCases,
  ids: idCases,
  blobs: blobCases,
}
const optional: Readonly<Record<Capability, StoreCases>> = {
  watch: watchCases,
  lease: leaseCases,
  maintain: maintainCases,
}
const groups = { ...required, ...optional }

/** The contract of `Engine`, and of the store over it, as tests: for vitest, jest and node:test. Asserts with node:assert. */
export function storeSuite(
  options: StoreSuiteOptions,
  {
    describe,
    it,
  }: {
    describe(name: string, body: () => void): unknown
    it: {
      (name: string, body: () => Promise<void>): unknown
      skip(name: string, body: () => Promise<void>): unknown
    }
  },
): void {
  const skipped = skipReasons(options)
  describe(`${options.name} keeps the store contract`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const [name, run] of Object.entries(cases)) {
          const reason = skipped.get(name)
          if (reason !== undefined) it.skip(`${name} (${reason})`, async () => {})
          else it(name, () => runCase(run, options))
        }
      })
    }
  })
}

async function runCase(run: StoreCases[string], options: StoreSuiteOptions): Promise<void> {
  const fixture = await options.make()
  const { engine } = fixture
  const store = storeOver(engine)
  try {
    const { without = [] } = options
    for (const name of ['watch', 'lease', 'maintain'] as const)
      assert.equal(engine[name] !== undefined, !without.includes(name), `whether ${options.name} can ${name}`)
    await run({
      engine,
      store,
      async reopen() {
        assert.ok(fixture.reopen, `${options.name} is persistent but its make() gives no reopen()`)
        return storeOver(await fixture.reopen())
      },
      async abandon(agentId) {
        assert.ok(fixture.abandon, `${options.name} has leases but its make() gives no abandon()`)
        await fixture.abandon(agentId)
      },
    })
  } finally {
    await store.close()
    await fixture.dispose()
  }
}

/** A skip that names no test is a mistake: it would hide that the contract changed. */
function skipReasons({ skip = [], persistent = true, without = [] }: StoreSuiteOptions): Map<string, string> {
  const all: StoreCases = Object.assign({}, ...Object.values(groups))
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])))
  for (const name of reasons.keys())
    if (!Object.hasOwn(all, name)) throw new Error(`No test of the suite is named "${name}"`)
  for (const [name, run] of Object.entries(all))
    if (run.needs && !persistent) reasons.set(name, 'the store is not persistent')
  for (const capability of without)
    for (const name of Object.keys(optional[capability])) reasons.set(name, `it has no ${capability}`)
  return reasons
}
