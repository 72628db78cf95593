/** `twotrack/store`: the port, and what a store of one's own needs. The stores can be imported by themselves too. */

export { GENESIS, type Header } from '../event/event.ts'
export { canonical } from '../event/json.ts'
export {
  type Digest,
  type Identity,
  type Opened,
  open,
  prune,
  type Sealed,
  seal,
  toEvent,
} from '../event/line.ts'
export { sha256 } from '../sha256.ts'
export { encodeId } from '../store/encode-id.ts'
export { brokenChain, follow, rewriting } from '../store/follow.ts'
export { byCreation, entryOf, matches } from '../store/log-entry.ts'
export {
  type Durability,
  type Finding,
  getBlob,
  type Head,
  type IndexName,
  indexNames,
  type LogEntry,
  type LogFilter,
  type LogWriter,
  type Range,
  type Recovery,
  type Store,
  type SweepOptions,
  type Swept,
} from '../store/store.ts'
