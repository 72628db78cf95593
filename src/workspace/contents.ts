import { isUtf8 } from 'node:buffer'
import type { BlobRef } from '../core/event/event.ts'
import type { FileContent } from '../core/event/file-content.ts'
import { getBlob, type Store } from '../core/store/store.ts'
import { undefinedIf } from '../errors.ts'
import type { Side } from './diff.ts'
import { openSealed, sealContent } from './sealed.ts'

export interface ContentPlace {
  readonly store: Store
  readonly agentId: string
  /** Contents with a secret stay sealed, whoever has the key: for what is sent to others. */
  readonly shut?: boolean
}

/** What must not be recorded as it is: the border of a memory. */
export interface Border {
  hide(text: string): string
  /** The same bytes, where there is nothing to hide in them. */
  bytes(bytes: Uint8Array): Uint8Array
}

export const holdsSecret = (border: Border, content: Uint8Array): boolean => border.bytes(content) !== content

/** The files that an agent's log tells of, as blobs: those with a secret in them are sealed with a key of whoever ran it. */
export class Contents {
  /** What was stored, as the event that tells of it names it. */
  readonly blobs: Record<string, BlobRef> = {}
  readonly #place: ContentPlace

  constructor(place: ContentPlace) {
    this.#place = place
  }

  /** Stores a content; it is on disk when this resolves. */
  async keep({ content, mode }: Side, isSecret: boolean): Promise<FileContent> {
    const stored = isSecret ? sealContent(content) : content
    const ref = await this.#place.store.putBlob(stored, isUtf8(stored) ? 'text' : 'bytes')
    this.blobs[ref.sha256] = ref
    return { sha256: ref.sha256, bytes: content.length, mode, ...(isSecret ? { secret: true as const } : {}) }
  }

  /** Undefined where it is not here: it was never stored, or holds a secret and the key is elsewhere. */
  async load({ sha256, secret, mode }: FileContent): Promise<Side | undefined> {
    if (secret && this.#place.shut) return undefined
    // One that is damaged is told.
    const stored = await undefinedIf(getBlob(this.#place.store, sha256), 'missing')
    const content = stored && secret ? openSealed(stored) : stored
    return content && { content, mode }
  }
}
