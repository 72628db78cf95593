import assert from 'node:assert/strict'
import type { Sealed } from '../../core/event/line.ts'
import type { Engine } from '../../core/store/engine.ts'
import type { LogFilter, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { headOf, type SampleOptions, sampleLog } from '../sample-log.ts'

/** An engine under test and the ways to see its data as others would. */
export interface StoreFixture {
  readonly engine: Engine
  /** Another engine over the same data, as another process would open it; the first stays usable. */
  reopen?(): Promise<Engine>
  /** Makes the lease of a log look as it does some time after its holder ended on another machine, without a word. */
  abandon?(agentId: string): Promise<void>
  dispose(): Promise<void>
}

/** What a test is given: the engine, and stores over it. */
interface Tested {
  readonly engine: Engine
  readonly store: Store
  reopen(): Promise<Store>
  abandon(agentId: string): Promise<void>
}

type Run = (tested: Tested) => Promise<void>

/** Tests by their names. Those that need something of the fixture say what. */
export type StoreCases = Readonly<Record<string, Run & { readonly needs?: 'reopen' | 'abandon' }>>

export const persistent = (run: Run) => Object.assign(run, { needs: 'reopen' as const })
export const abandoning = (run: Run) => Object.assign(run, { needs: 'abandon' as const })

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
