import type { BlobRef } from '../core/event/event.ts'

/**
 * What a tool returns when its raw output went to the store while it ran (`context.keep`): where the bytes are,
 * and what would have been returned if they were few. The event then names `raw` as its raw output.
 */
export class StoredOutput {
  readonly raw: BlobRef
  readonly shown: unknown

  constructor(raw: BlobRef, shown: unknown) {
    this.raw = raw
    this.shown = shown
  }
}
