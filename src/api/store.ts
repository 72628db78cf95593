/** `twotrack/store`: the port, and what a store of one's own needs. The stores can be imported by themselves too. */

export { GENESIS, type Header } from '../core/event/event.ts'
export { canonical } from '../core/event/json.ts'
export {
  type Digest,
  type Identity,
  type Opened,
  open,
  prune,
  type Sealed,
  seal,
  toEvent,
} from '../core/event/line.ts'
export { encodeId } from '../core/store/encode-id.ts'
export { brokenChain, follow, rewriting } from '../core/store/follow.ts'
export { byCreation, entryOf, matches } from '../core/store/log-entry.ts'
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
} from '../core/store/store.ts'
export { sha256 } from '../sha256.ts'
