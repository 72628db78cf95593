import { blobCases } from './store-cases/blobs.ts'
import type { StoreCases, StoreFixture } from './store-cases/case.ts'
import { idCases } from './store-cases/ids.ts'
import { listCases } from './store-cases/lists.ts'
import { logCases } from './store-cases/logs.ts'
import { retentionCases } from './store-cases/retention.ts'
import { tailCases } from './store-cases/tail.ts'

export type { StoreFixture } from './store-cases/case.ts'

/** What of a test runner the suite needs; vitest, jest and node:test all have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  it: {
    (name: string, body: () => Promise<void>): unknown
    skip(name: string, body: () => Promise<void>): unknown
  }
}

export interface StoreSuiteOptions {
  readonly name: string
  /** A new, empty store for each test. */
  make(): Promise<StoreFixture>
  /** Whether data outlives the store object; then `make` gives a `reopen`. True unless said otherwise. */
  readonly persistent?: boolean
  /** Tests this store does not pass, by name, each with the reason that users of the store are told. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[]
}

const groups = {
  logs: logCases,
  tail: tailCases,
  lists: listCases,
  ids: idCases,
  blobs: blobCases,
  retention: retentionCases,
}

/** The contract of `Store` as tests. Asserts with node:assert, so any runner will do. */
export function storeSuite(options: StoreSuiteOptions, { describe, it }: TestRunner): void {
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

async function runCase(run: StoreCases[string], { name, make }: StoreSuiteOptions): Promise<void> {
  const fixture = await make()
  const { store, reopen } = fixture
  const noReopen = async () => {
    throw new Error(`${name} is persistent but its make() gives no reopen()`)
  }
  try {
    await run({ store, reopen: reopen?.bind(fixture) ?? noReopen, dispose: () => fixture.dispose() })
  } finally {
    await fixture.dispose()
  }
}

/** A skip that names no test is a mistake: it would hide that the contract changed. */
function skipReasons({ skip = [], persistent = true }: StoreSuiteOptions): Map<string, string> {
  const all: StoreCases = Object.assign({}, ...Object.values(groups))
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])))
  for (const name of reasons.keys())
    if (!Object.hasOwn(all, name)) throw new Error(`No test of the suite is named "${name}"`)
  for (const [name, run] of Object.entries(all))
    if (run.persistent && !persistent) reasons.set(name, 'the store is not persistent')
  return reasons
}
