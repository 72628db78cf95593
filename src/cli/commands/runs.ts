import { defined } from '../../event/json.ts'
import type { LogFilter, Store } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { endOf } from '../log-end.ts'
import { agentsMeant, logsOf, shortNames } from '../names.ts'
import { paint, print, printJson, self, table } from '../output.ts'

export interface RunsOptions extends CommonOptions {
  readonly node?: string
  readonly run?: string
  readonly operation?: string
  readonly last?: boolean
}

/** Lists the logs, newest last, found through the indexes. */
export async function runsCommand(options: RunsOptions): Promise<number> {
  return withStore(options, async (store) => {
    const { node: node_id, run: run_id, operation } = options
    const filter: LogFilter = defined({ node_id, run_id, operation })
    const newest = new Set(options.last ? await agentsMeant(store, [], { last: true }) : [])
    const short = await shortNames(store)
    const rows = []
    for (const entry of await logsOf(store, filter))
      if (!options.last || newest.has(entry.agent_id))
        rows.push({ ...entry, name: short(entry.agent_id), ...(await endOf(store, entry.agent_id)) })
    if (options.json) printJson(rows)
    else if (rows.length === 0) print(paint('dim', await whyNone(store)))
    else
      print(
        table(
          ['agent', 'node', 'turns', 'events', 'last event', 'state'],
          rows.map(({ name, node_id, turn, events, last, state, reason }) => [
            name,
            node_id,
            turn,
            events,
            last.slice(0, 19),
            reason === undefined || reason === 'submitted' ? state : reason,
          ]),
        ),
      )
    return rows.some((row) => row.state === 'damaged') ? 1 : 0
  })
}

const whyNone = async (store: Store): Promise<string> =>
  (await store.list()).length > 0
    ? `No log is like that. "${self} runs" lists them all.`
    : `No runs recorded here. Begin with: ${self} run lint`
