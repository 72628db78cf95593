/** `twotrack/store`: the port that holds bytes, and what an engine of one's own needs. */

export { GENESIS } from '../core/event/event.ts'
export { missingBlob } from '../core/store/blob.ts'
export { assertHead, headOfLine } from '../core/store/chain.ts'
export { encodeId } from '../core/store/encode-id.ts'
export type { Engine, Lease, Line, StoredLine, StoredLog } from '../core/store/engine.ts'
export type { Finding } from '../core/store/finding.ts'
export type { Head } from '../core/store/store.ts'
export { storeOver } from '../core/store/store-over.ts'
