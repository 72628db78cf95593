import type { Engine, Lease } from '../core/store/engine.ts'
import type { Store } from '../core/store/store.ts'
import { storeOver } from '../core/store/store-over.ts'
import { TwotrackError } from '../errors.ts'
import { connect } from '../store/postgres/connections.ts'
import { schemaOf } from '../store/postgres/migrations.ts'
import { type PostgresOptions, postgresEngine } from '../store/postgres/postgres.ts'
import { postgresQueue } from './postgres.ts'
import type { Queue, TakenJob } from './queue.ts'

/** The queue of a project, and its store as a worker uses it. */
export interface OpenQueue {
  readonly queue: Queue
  /** Opens the logs of jobs that this worker has under the leases that it has: there is no other. */
  readonly store: Store
  /** Of a job from when it was taken until it is finished. */
  readonly held: Map<string, TakenJob>
  close(): Promise<void>
}

/** Opens both. Nothing is connected before it is used. */
export function openQueue(place: PostgresOptions): OpenQueue {
  const engine = postgresEngine(place)
  const connections = connect({ ...place, schema: schemaOf(place.project) })
  const held = new Map<string, TakenJob>()
  const leaseOf = leasing(engine)
  const lease = async (id: string) => {
    const job = held.get(id)
    // It ends with the job, after what came of the job is written.
    return job ? { ...job.lease, release: async () => {} } : leaseOf(id)
  }
  const store = storeOver({ ...engine, lease })
  const queue = postgresQueue(connections, leaseOf)
  return {
    queue,
    store,
    held,
    async close() {
      await store.close()
      await connections.close()
    },
  }
}

function leasing({ lease, kind }: Engine): (id: string) => Promise<Lease> {
  if (lease) return lease
  throw new TwotrackError('bad_argument', `A ${kind} store has no leases, and a queue needs them.`)
}
