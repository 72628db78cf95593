import { TwotrackError } from '../../errors.ts'
import type { Sealed } from '../../event/line.ts'
import type { Store } from '../../store/store.ts'
import { headOf, type SampleOptions, sampleLog } from '../sample-log.ts'

/** A store under test and the way to see its data as another process would. */
export interface StoreFixture {
  readonly store: Store
  /** Another store over the same data; the first stays usable. Stores that are not persistent have none. */
  reopen?(): Promise<Store>
  dispose(): Promise<void>
}

export interface StoreCase {
  readonly name: string
  /** Needs `reopen`. */
  readonly persistent?: true
  run(fixture: StoreFixture & { reopen(): Promise<Store> }): Promise<void>
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

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
