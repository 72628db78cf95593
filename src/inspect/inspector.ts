import type { PersonActions } from '../app/inspected/act.ts'
import { AgentIndex } from '../app/inspected/index.ts'
import { InspectedLogs } from '../app/inspected/log.ts'
import { Outputs } from '../app/inspected/rows.ts'
import type { Prices } from '../audit/report/cost.ts'
import type { Store } from '../core/store/store.ts'

/** What the inspector shows, and what a person may do from it. */
export interface InspectOptions {
  readonly store: Store
  /** Where the logs and the index of them are; undefined for logs in memory. */
  readonly folder: string
  readonly prices?: Prices
  /** What a person may do from the page; nothing, unless given. */
  readonly actions?: PersonActions
}

/** What was read of a store's logs. */
export interface ReadLogs extends InspectOptions {
  readonly logs: InspectedLogs
  readonly outputs: Outputs
}

/** A store as it is looked at: what was read of it is kept. */
export interface Inspector extends ReadLogs {
  readonly index: AgentIndex
  /** Fires when the page is closed for good. */
  readonly closed: AbortSignal
  close(): void
}

/** For one log, without a list of all. */
export const unlisted = (options: InspectOptions): ReadLogs => ({
  ...options,
  logs: new InspectedLogs(options.store),
  outputs: new Outputs(options.store),
})

export function inspector(options: InspectOptions): Inspector {
  const { store, folder } = options
  const index = new AgentIndex(store, store.kind === 'memory' ? undefined : folder)
  const read = unlisted(options)
  const closing = new AbortController()
  // Who looks at the page first need not wait for all of it; what can't be read is told by the page that asks for it.
  index.refresh().catch(() => {})
  return {
    ...read,
    index,
    closed: closing.signal,
    close() {
      closing.abort()
      index.close()
      read.outputs.close()
    },
  }
}
