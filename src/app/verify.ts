import type { Verified } from '../audit/verified.ts'
import { verifyLog } from '../audit/verify.ts'
import type { Finding } from '../core/store/finding.ts'
import type { Store } from '../core/store/store.ts'
import { type Compared, findHeads, noteHeads } from './heads.ts'

/** Whether logs, and what stands beside them, are as they were written. */
export interface VerifiedStore {
  readonly ok: boolean
  readonly logs: readonly Verified[]
  /** What the store says of itself; nothing where some logs alone were asked for. */
  readonly store: readonly Finding[]
  /** What was kept elsewhere and compared; nothing shows a log that was rewritten as a whole otherwise. */
  readonly compared: readonly Compared[]
}

export interface VerifyRequest {
  readonly folder: string
  /** Where its git notes are looked for. */
  readonly project?: string
  /** All logs unless given. */
  readonly some?: readonly string[] | undefined
  /** Heads of a person's own. */
  readonly file?: { readonly name: string; readonly text: string } | undefined
  /** Keeps the heads as a git note, if all is well. */
  readonly note?: boolean | undefined
  readonly onLog?: (done: number, all: number) => void
}

/** The names of all logs, those of runs too. */
async function allLogs(store: Store): Promise<string[]> {
  const names: string[] = []
  for await (const { agent_id } of store.each()) names.push(agent_id)
  return names.sort()
}

/** Checks some logs, or all of them and the store itself. A log that a kept head names must be there, whatever the index says. */
export async function verifyAll(store: Store, request: VerifyRequest): Promise<VerifiedStore> {
  const { some, file, note, onLog } = request
  const present = await allLogs(store)
  const { compared, heads, expected, gone, unsigned } = await findHeads(store, request, file, present)
  const all = some ?? [...new Set([...present, ...expected])]
  const logs: Verified[] = []
  for (const agent of all) {
    logs.push(await verifyLog(store, agent, heads.get(agent)))
    onLog?.(logs.length, all.length)
  }
  const beside = some ? [] : await store.check()
  const warn = (what: string) => beside.push({ level: 'warning', what, where: 'heads' })
  if (unsigned > 0)
    warn(`${unsigned} of the heads kept elsewhere are not as they were signed; they are not compared`)
  if (gone.length > 0 && !some)
    warn(
      `${gone.length} logs that were signed here are gone with the folder they were in; if you did not remove it, somebody did`,
    )
  const ok = logs.every((log) => log.ok) && !beside.some(({ level }) => level === 'error')
  if (ok && note)
    await noteHeads(
      store,
      request,
      logs.flatMap(({ agent_id, head }) => (head ? [{ agent_id, ...head }] : [])),
    )
  return { ok, logs, store: beside, compared }
}
