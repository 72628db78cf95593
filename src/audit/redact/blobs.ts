import type { BlobRef } from '../../event/event.ts'
import { canonical, type Json, tryParse } from '../../event/json.ts'
import { getBlob, type Store } from '../../store/store.ts'
import { ifThere } from '../read.ts'
import { type Redact, redactBytes, redactIn } from './texts.ts'

/** The blobs of a store, each looked at once however many events name it. */
export interface RedactedBlobs {
  /** What takes the place of a blob; undefined where it holds nothing that is to go. */
  without(ref: BlobRef): Promise<BlobRef | undefined>
  /** All that hold it, whether or not an event names them: one may be left over from an attempt that broke off. */
  holding(): Promise<Set<string>>
}

export function redactedBlobs(store: Store, redact: Redact, dryRun: boolean): RedactedBlobs {
  const looked = new Map<string, Promise<BlobRef | undefined>>()
  const look = async (ref: BlobRef): Promise<BlobRef | undefined> => {
    const bytes = await ifThere(getBlob(store, ref.sha256))
    if (!bytes) return undefined
    const parsed = ref.media === 'json' ? tryParse(Buffer.from(bytes).toString()) : undefined
    const after =
      parsed === undefined
        ? redactBytes(bytes, redact)
        : Buffer.from(canonical(redactIn(parsed as Json, redact)))
    if (Buffer.from(after).equals(bytes)) return undefined
    return dryRun ? ref : store.putBlob(after, ref.media)
  }
  const holds = async (digest: string): Promise<boolean> => {
    if (looked.has(digest)) return (await looked.get(digest)) !== undefined
    const bytes = await getBlob(store, digest)
    return redactBytes(bytes, redact) !== bytes
  }
  return {
    without(ref) {
      const known = looked.get(ref.sha256) ?? look(ref)
      looked.set(ref.sha256, known)
      return known
    },
    async holding() {
      const digests: string[] = []
      await store.sweep((digest) => digests.push(digest) > 0, { unused_ms: 0, dry_run: true })
      const found = new Set<string>()
      for (const digest of digests) if (await holds(digest)) found.add(digest)
      return found
    },
  }
}
