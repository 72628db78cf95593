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
export { missingBlob } from '../core/store/blob.ts'
export { assertHead, damagedLine } from '../core/store/chain.ts'
export { encodeId } from '../core/store/encode-id.ts'
export type {
  Engine,
  Lease,
  Line,
  LogPage,
  Maintain,
  Page,
  Rewriting,
  StoredLine,
  StoredLog,
} from '../core/store/engine.ts'
export { byCreation, entryOf, matches } from '../core/store/log-entry.ts'
export {
  type BlobContent,
  type ByteRange,
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
export { storeOver } from '../core/store/store-over.ts'
export { watchBy } from '../core/store/watch.ts'
export { sha256 } from '../sha256.ts'
