import { withStore } from '../../app/context.ts'
import { endOf, type LogEnd } from '../../app/log-end.ts'
import { agentsMeant, logsOf, shortNames } from '../../app/names.ts'
import { defined } from '../../core/event/json.ts'
import type { LogEntry } from '../../core/store/store.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, self, table } from '../output.ts'

export interface RunsOptions extends CommonOptions {
  readonly node?: string
  readonly run?: string
  readonly operation?: string
  readonly last?: boolean
}

/** Lists the logs, newest last, found through the indexes. */
export async function runsCommand(options: RunsOptions): Promise<Found> {
  return withStore(options, async (store) => {
    const { node: node_id, run: run_id, operation, last } = options
    const newest = new Set(last ? await agentsMeant(store, [], { last }) : [])
    const short = await shortNames(store)
    const rows: (LogEntry & LogEnd & { readonly name: string })[] = []
    for (const entry of await logsOf(store, defined({ node_id, run_id, operation })))
      if (!last || newest.has(entry.agent_id))
        rows.push({ ...entry, name: short(entry.agent_id), ...(await endOf(store, entry.agent_id)) })
    const isEmpty = rows.length === 0 && (await store.list()).length === 0
    return {
      json: rows,
      code: rows.some((row) => row.state === 'damaged') ? 1 : 0,
      lines: () => [
        rows.length > 0
          ? table(
              ['agent', 'node', 'turns', 'events', 'last event', 'state'],
              rows.map(({ name, node_id, turn, events, last, state, reason = state }) => {
                return [
                  name,
                  node_id,
                  turn,
                  events,
                  last.slice(0, 19),
                  reason === 'submitted' ? state : reason,
                ]
              }),
            )
          : paint(
              'dim',
              isEmpty
                ? `No runs recorded here. Begin with: ${self} run lint`
                : `No log is like that. "${self} runs" lists them all.`,
            ),
      ],
    }
  })
}
