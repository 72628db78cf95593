import { type Draft, GENESIS } from '../core/event/event.ts'
import { type Identity, type Sealed, seal } from '../core/event/line.ts'
import type { Head } from '../core/store/store.ts'
import { sha256 } from '../sha256.ts'

export interface SampleOptions extends Partial<Pick<Identity, 'run_id' | 'operation' | 'node_id'>> {
  /** The head that the first event follows; a new log by default. */
  readonly after?: Head
  /** Text of every event, to make them larger. */
  readonly note?: string
  /** A raw part of every event. */
  readonly raw?: string
  /** Time of event 1; each later event is a second after the one before. */
  readonly start?: string
}

/** Sealed events that form a valid chain; the same arguments give the same bytes. */
export function sampleLog(agentId: string, count: number, options: SampleOptions = {}): Sealed[] {
  const start = Date.parse(options.start ?? '2026-01-01T00:00:00.000Z')
  const events: Sealed[] = []
  let head: Head = options.after ?? { seq: 0, hash: GENESIS }
  for (let i = 0; i < count; i++) {
    const seq = head.seq + 1
    const sealed = seal(
      draft(options.note ?? `note ${seq}`, options.raw),
      {
        id: `sample-${seq}`,
        run_id: options.run_id ?? 'run-1',
        agent_id: agentId,
        operation: options.operation ?? 'lint',
        node_id: options.node_id ?? 'src/a.ts:f',
        seq,
        turn: seq,
        timestamp: new Date(start + (seq - 1) * 1000).toISOString(),
        prev: head.hash,
        nonces: sampleNonces(`${agentId} ${seq}`),
      },
      sha256,
    )
    events.push(sealed)
    head = { seq, hash: sealed.event.hash }
  }
  return events
}

/** Nonces that are the same in every run. */
export const sampleNonces = (of: string): Identity['nonces'] => ({
  payload: sha256(`payload ${of}`).slice(0, 32),
  raw: sha256(`raw ${of}`).slice(0, 32),
})

export const headOf = (events: readonly Sealed[]): Head => {
  const last = events.at(-1)?.event
  return last ? { seq: last.seq, hash: last.hash } : { seq: 0, hash: GENESIS }
}

const draft = (note: string, raw: string | undefined): Draft =>
  raw === undefined
    ? { type: 'correction', data: { by: 'sample', note } }
    : { type: 'agent_error', data: { where: 'sample', message: note }, raw: { stack: raw } }
