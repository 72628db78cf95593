import type { Header } from '../../core/event/event.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import type { IndexName } from '../../core/store/store.ts'

/** An id as a part of a key: it never holds the separator, and unlike a file name it is never shortened. */
export const encodeKeyPart = (id: string): string => encodeId(id, Number.POSITIVE_INFINITY)

type Traced = Pick<Header, 'run_id' | 'operation' | 'node_id' | 'turn' | 'agent_id' | 'seq'>

/** The key of an event's row; agent and seq make it unique. */
export const traceKey = (event: Traced): string =>
  [
    'trace',
    encodeKeyPart(event.run_id),
    encodeKeyPart(event.operation),
    encodeKeyPart(event.node_id),
    event.turn,
    encodeKeyPart(event.agent_id),
    event.seq,
  ].join(':')

export const indexKey = (index: IndexName, id: string, agentId: string): string =>
  `${indexPrefix(index)}${encodeKeyPart(id)}:${encodeKeyPart(agentId)}`

export const indexPrefix = (index: IndexName): string => `index:${index}:`

/** The first key after all that begin with a prefix that ends in `:`. */
export const afterPrefix = (prefix: string): string => `${prefix.slice(0, -1)};`
