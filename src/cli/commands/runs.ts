import type { LogFilter } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { paint, print, printJson, table } from '../output.ts'

export interface RunsOptions extends CommonOptions {
  readonly node?: string
  readonly run?: string
  readonly operation?: string
}

/** Lists the logs, newest last, found through the indexes. */
export async function runsCommand(options: RunsOptions): Promise<number> {
  return withStore(options, async (store) => {
    const filter: LogFilter = {
      ...(options.node === undefined ? {} : { node_id: options.node }),
      ...(options.run === undefined ? {} : { run_id: options.run }),
      ...(options.operation === undefined ? {} : { operation: options.operation }),
    }
    const rows = []
    for (const entry of await store.list(filter)) {
      const head = await store.head(entry.agent_id)
      let last: { turn: number; timestamp: string; type: string } | undefined
      if (head) for await (const event of store.read(entry.agent_id, { from: head.seq })) last = event
      rows.push({
        ...entry,
        events: head?.seq ?? 0,
        turn: last?.turn ?? 0,
        last: last?.timestamp ?? '',
        ended: last?.type === 'run_end',
      })
    }
    if (options.json) printJson(rows)
    else if (rows.length === 0) print(paint('dim', 'No runs recorded here. Begin with: twotrack import FILE'))
    else {
      print(
        table(
          ['agent', 'operation', 'node', 'turns', 'events', 'last event', ''],
          rows.map((row) => [
            row.agent_id,
            row.operation,
            row.node_id,
            row.turn,
            row.events,
            row.last.slice(0, 19),
            row.ended ? 'ended' : 'open',
          ]),
        ),
      )
    }
    return 0
  })
}
