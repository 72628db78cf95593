import assert from 'node:assert/strict'
import type { Sealed } from '../../core/event/line.ts'
import type { LogFilter, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { headOf, type SampleOptions, sampleLog } from '../sample-log.ts'

/** A store under test and the way to see its data as another process would. */
export interface StoreFixture {
  readonly store: Store
  /** Another store over the same data; the first stays usable. Stores that are not persistent have none. */
  reopen?(): Promise<Store>
  dispose(): Promise<void>
}

type Run = (fixture: StoreFixture & { reopen(): Promise<Store> }) => Promise<void>

/** Tests by their names. Those that need `reopen` are `persistent`. */
export type StoreCases = Readonly<Record<string, Run & { readonly persistent?: true }>>

export const persistent = (run: Run) => Object.assign(run, { persistent: true as const })

/** The log of most tests. */
export const agent = 'agent-1'

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export const seqs = async (events: AsyncIterable<{ readonly seq: number }>): Promise<number[]> =>
  (await collect(events)).map(({ seq }) => seq)

/** For `assert.rejects`: a TwotrackError with this code and a message for people. */
export const hasCode = (code: TwotrackError['code']) => (thrown: unknown) =>
  thrown instanceof TwotrackError && thrown.code === code && thrown.message.length > 10

/** Writes a whole log and closes it. */
export async function write(
  store: Store,
  agentId: string,
  count: number,
  options: SampleOptions = {},
): Promise<Sealed[]> {
  const events = sampleLog(agentId, count, options)
  const writer = await store.open(agentId)
  await writer.append(events, headOf([]).seq)
  await writer.close()
  return events
}

/** The log of `agent` is just these events. */
export async function holds(store: Store, events: readonly Sealed[]): Promise<void> {
  const expected = events.map(({ event }) => event)
  assert.deepEqual(await collect(store.read(agent)), expected)
}

export const listed = async (store: Store, filter?: LogFilter): Promise<string[]> =>
  (await store.list(filter)).map(({ agent_id }) => agent_id)

export async function isSound(store: Store): Promise<void> {
  const errors = (await store.check()).filter(({ level }) => level === 'error')
  assert.deepEqual(errors, [])
}
