import { type Verified, verifyLog } from '../audit/verify.ts'
import type { Finding, Head, Store } from '../core/store/store.ts'

/** Whether logs, and what stands beside them, are as they were written. */
export interface VerifiedStore {
  readonly ok: boolean
  readonly logs: readonly Verified[]
  /** What the store says of itself; nothing where some logs alone were asked for. */
  readonly store: readonly Finding[]
}

/** Checks some logs, or all of them and the store itself. A log that a kept head names must be there, whatever the index says. */
export async function verifyAll(
  store: Store,
  some: readonly string[] | undefined,
  heads: ReadonlyMap<string, Head>,
  onLog: (done: number, all: number) => void,
): Promise<VerifiedStore> {
  const listed = some ?? (await store.list()).map(({ agent_id }) => agent_id)
  const all = some ?? [...new Set([...listed, ...heads.keys()])]
  const logs: Verified[] = []
  for (const agent of all) {
    logs.push(await verifyLog(store, agent, heads.get(agent)))
    onLog(logs.length, all.length)
  }
  const beside = some ? [] : await store.check()
  const ok = logs.every((log) => log.ok) && !beside.some(({ level }) => level === 'error')
  return { ok, logs, store: beside }
}
