import { isOver, type JobMove, type JobState, nextState } from '../../src/queue/job.ts'

/** What is left out of the rules, so that a test sees the simulation find it. */
export type Mutation = 'fencing' | 'move_generation' | 'effects_once' | 'lapsed_jobs' | 'head'

export const LEASE_MS = 1_000

export interface Entry {
  readonly what: 'call' | 'result' | 'end'
  readonly step: number
  readonly generation: number
  readonly id: string
}

interface StoredJob {
  state: JobState
  readonly poison: boolean
}

/**
 * The database: each request is one transaction at the database's own time. Leases are as the engine has them (a generation
 * above all before it, an end by this clock); what becomes of jobs is asked of the code that the real queue asks.
 */
export class Database {
  readonly jobs = new Map<string, StoredJob>()
  readonly leases = new Map<string, { generation: number; until: number }>()
  readonly logs = new Map<string, Entry[]>()
  readonly broken: string[] = []
  isPaused = false
  now = 0
  readonly #without: Mutation | undefined

  constructor(without: Mutation | undefined) {
    this.#without = without
  }

  move(id: string, move: JobMove): boolean {
    const job = this.jobs.get(id)
    if (!job) return false
    const { state } = job
    const isAny = this.#without === 'move_generation' && state.is === 'taken' && 'generation' in move
    const asIfOurs = isAny && move.do !== 'take' ? { ...move, generation: state.generation } : move
    const next = nextState(state, asIfOurs)
    if (!next) return false
    if (state.is === 'done') this.broken.push(`${id} was done, and is ${next.is}`)
    if (next.is === 'done' && !this.log(id).some(({ what }) => what === 'end'))
      this.broken.push(`${id} is done without an end in its log`)
    job.state = next
    return true
  }

  take(worker: string): { id: string; generation: number } | undefined {
    if (this.isPaused) return undefined
    for (const [id, { state }] of this.jobs) {
      if (isOver(state) || (state.is === 'taken' && this.#without === 'lapsed_jobs')) continue
      const lease = this.leases.get(id)
      if (lease && lease.until > this.now) continue
      const generation = (lease?.generation ?? 0) + 1
      this.leases.set(id, { generation, until: this.now + LEASE_MS })
      this.move(id, { do: 'take', worker, generation })
      if (this.jobs.get(id)?.state.is === 'taken') return { id, generation }
    }
    return undefined
  }

  renew(id: string, generation: number): boolean {
    const lease = this.leases.get(id)
    if (!lease || lease.generation !== generation || this.jobs.get(id)?.state.is !== 'taken') return false
    lease.until = this.now + LEASE_MS
    return true
  }

  /** True also for what is there already: the answer to the first try was lost. */
  append(id: string, expected: number, entry: Entry): boolean {
    const log = this.log(id)
    if (log[expected]?.id === entry.id && this.#without !== 'head') return true
    const newest = this.leases.get(id)?.generation ?? 0
    if (this.#without !== 'fencing' && newest !== entry.generation) return false
    if (this.#without !== 'head' && log.length !== expected) return false
    if (newest !== entry.generation)
      this.broken.push(`${id}: an event under lease ${entry.generation}, and ${newest} was given out`)
    if (log.some(({ what }) => what === 'end')) this.broken.push(`${id}: an event after its end`)
    if (log.length !== expected) this.broken.push(`${id}: two writers`)
    log.push(entry)
    return true
  }

  /** In one transaction with the check of the lease; the lease ends with it. */
  finish(id: string, move: JobMove & { readonly generation: number }): boolean {
    const lease = this.leases.get(id)
    const isOurs = lease?.generation === move.generation
    if (!isOurs && this.#without !== 'move_generation') return false
    const isMoved = this.move(id, move)
    if (isMoved && !isOurs) this.broken.push(`${id}: moved by a worker that no longer had it`)
    if (isOurs) lease.until = this.now
    return isMoved
  }

  log(id: string): Entry[] {
    const log = this.logs.get(id) ?? []
    this.logs.set(id, log)
    return log
  }
}
