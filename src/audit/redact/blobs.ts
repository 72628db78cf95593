import type { BlobRef } from '../../core/event/event.ts'
import { canonical, type Json, tryParse } from '../../core/event/json.ts'
import { getBlob, type Store } from '../../core/store/store.ts'
import { undefinedIf } from '../../errors.ts'
import { changeBytes } from '../../secrets/bytes.ts'
import { isSealed, openSealed, sealContent } from '../../workspace/sealed.ts'
import { assertOnlyMarks, type Redact, redactIn } from './texts.ts'

/** The blobs of a store, each looked at once however many events name it. */
export interface RedactedBlobs {
  /** What takes the place of a blob; undefined where it holds nothing that is to go. */
  without(ref: BlobRef): Promise<BlobRef | undefined>
  /** Whether a blob holds it, named by an event or not: one may be left over from an attempt that broke off. */
  holds(digest: string): Promise<boolean>
  found(): number
  /** Those that are sealed with a key that is not here. */
  shut(): readonly string[]
}

export function redactedBlobs(store: Store, redact: Redact, dryRun: boolean): RedactedBlobs {
  const looked = new Map<string, Promise<BlobRef | undefined>>()
  const holding = new Set<string>()
  const shut = new Set<string>()
  const look = async (ref: BlobRef): Promise<BlobRef | undefined> => {
    const stored = await undefinedIf(getBlob(store, ref.sha256), 'missing')
    if (!stored) return undefined
    if (isSealed(stored)) return lookInside(stored, ref)
    const bytes = stored
    const after = withMarks(bytes, ref.media, redact)
    if (Buffer.from(after).equals(bytes)) return undefined
    holding.add(ref.sha256)
    return dryRun ? ref : store.putBlob(after, ref.media)
  }
  /** What is sealed holds a secret; where the key is elsewhere nobody can tell which. */
  const lookInside = async (stored: Uint8Array, ref: BlobRef): Promise<BlobRef | undefined> => {
    const content = openSealed(stored)
    if (!content) shut.add(ref.sha256)
    const after = content && changeBytes(content, redact)
    if (!after || after === content) return undefined
    holding.add(ref.sha256)
    return dryRun ? ref : store.putBlob(sealContent(after), 'bytes')
  }
  return {
    without(ref) {
      const known = looked.get(ref.sha256) ?? look(ref)
      looked.set(ref.sha256, known)
      return known
    },
    async holds(digest) {
      if (!looked.has(digest)) {
        const stored = await getBlob(store, digest)
        const bytes = (isSealed(stored) && openSealed(stored)) || stored
        if (changeBytes(bytes, redact) !== bytes) holding.add(digest)
      }
      await looked.get(digest)
      return holding.has(digest)
    },
    found: () => holding.size,
    shut: () => [...shut],
  }
}

function withMarks(bytes: Uint8Array, media: BlobRef['media'], redact: Redact): Uint8Array {
  const parsed = media === 'json' ? tryParse(Buffer.from(bytes).toString()) : undefined
  if (parsed === undefined)
    return changeBytes(bytes, (text) => {
      const after = redact(text)
      assertOnlyMarks(text, after)
      return after
    })
  const after = redactIn(parsed as Json, redact)
  assertOnlyMarks(parsed as Json, after)
  return Buffer.from(canonical(after))
}
