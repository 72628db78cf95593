import { TwotrackError } from '../../errors.ts'
import type { EventType } from '../../event/event.ts'
import type { LogEntry, LogFilter, Store } from '../../store/store.ts'
import { type CommonOptions, logsOf, withStore } from '../context.ts'
import { paint, print, printJson, self, table } from '../output.ts'

/** Where a log's end is looked for; reviews of what an agent proposes come after it. */
const LOOK_BACK_EVENTS = 20
/** What becomes of a workspace or of raw output afterwards does not make an agent go on. */
const AFTERWARDS = new Set<EventType>(['workspace_accepted', 'workspace_rejected', 'tombstone'])

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
    const rows: Row[] = []
    for (const entry of await logsOf(store, filter))
      rows.push({ ...entry, ...(await endOf(store, entry.agent_id)) })
    if (options.json) printJson(rows)
    else if (rows.length === 0) print(paint('dim', await whyNone(store)))
    else {
      print(
        table(
          ['agent', 'operation', 'node', 'turns', 'events', 'last event', 'state'],
          rows.map((row) => [
            row.agent_id,
            row.operation,
            row.node_id,
            row.turn,
            row.events,
            row.last.slice(0, 19),
            row.state,
          ]),
        ),
      )
    }
    return rows.some((row) => row.state === 'damaged') ? 1 : 0
  })
}

const whyNone = async (store: Store): Promise<string> =>
  (await store.list()).length > 0
    ? `No log is like that. "${self} runs" lists them all.`
    : `No runs recorded here. Begin with: ${self} run lint`

interface End {
  readonly events: number
  readonly turn: number
  readonly last: string
  readonly state: 'open' | 'ended' | 'damaged'
}

type Row = LogEntry & End

/** How a log ends. One damaged log does not keep the others from being listed; `verify` says more. */
async function endOf(store: Store, agentId: string): Promise<End> {
  const end: End = { events: 0, turn: 0, last: '', state: 'open' }
  try {
    const head = await store.head(agentId)
    if (!head) return end
    let { turn, last, state } = end
    for await (const event of store.read(agentId, { from: Math.max(1, head.seq - LOOK_BACK_EVENTS) })) {
      turn = event.turn
      last = event.timestamp
      if (!AFTERWARDS.has(event.type)) state = event.type === 'run_end' ? 'ended' : 'open'
    }
    return { events: head.seq, turn, last, state }
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return { ...end, state: 'damaged' }
    throw thrown
  }
}
