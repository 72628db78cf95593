import { encodeId } from '../../core/store/encode-id.ts'
import type { Line } from '../../core/store/engine.ts'
import type { IndexName, LogEntry } from '../../core/store/store.ts'

/** An id as a part of a key: it never holds the separator, and unlike a file name it is never shortened. */
export const encodeKeyPart = (id: string): string => encodeId(id, Number.POSITIVE_INFINITY)

export const decodeKeyPart = (part: string): string =>
  part
    .split(/(%u[0-9a-f]{4})/)
    .map((piece) =>
      piece.startsWith('%u')
        ? String.fromCharCode(Number.parseInt(piece.slice(2), 16))
        : decodeURIComponent(piece),
    )
    .join('')

/** The key of an event: that of its turn, `trace:{run}:{operation}:{node}:{turn}`, then what makes it unique. */
export const traceKey = ({ run_id, operation, node_id, turn, agent_id, seq }: Line['header']): string =>
  ['trace', ...[run_id, operation, node_id].map(encodeKeyPart), turn, encodeKeyPart(agent_id), seq].join(':')

/** What an index says of an event: that there is something of its node, run or operation under the key of its turn. */
export function indexRow(index: IndexName, key: string): { key: string; value: string } {
  const [, run = '', operation = '', node = '', turn = ''] = key.split(':')
  const parts = {
    run: [run, operation, node],
    operation: [operation, run, node],
    node: [node, run, operation],
  }
  return {
    key: ['index', index, ...parts[index], turn].join(':'),
    value: JSON.stringify(['trace', run, operation, node, turn].join(':')),
  }
}

/** What the key of a log's first event says of the log; it does not know when that was. */
export function entryOfKey(key: string): LogEntry | undefined {
  const [, run, operation, node, , agent] = key.split(':')
  if (run === undefined || operation === undefined || node === undefined || agent === undefined)
    return undefined
  try {
    return {
      agent_id: decodeKeyPart(agent),
      run_id: decodeKeyPart(run),
      operation: decodeKeyPart(operation),
      node_id: decodeKeyPart(node),
      created: new Date(0).toISOString(),
    }
  } catch {
    return undefined
  }
}
