import { TwotrackError } from '../../errors.ts'
import type { BlobRef } from '../../event/event.ts'
import { canonical, type Json, tryParse } from '../../event/json.ts'
import { getBlob, type Store } from '../../store/store.ts'
import { type Redact, redactBytes, redactIn } from './texts.ts'

/** The blobs of a store, each looked at once however many events name it. */
export class RedactedBlobs {
  readonly #store: Store
  readonly #redact: Redact
  readonly #dryRun: boolean
  readonly #looked = new Map<string, Promise<BlobRef | undefined>>()

  constructor(store: Store, redact: Redact, dryRun: boolean) {
    this.#store = store
    this.#redact = redact
    this.#dryRun = dryRun
  }

  /** What takes the place of a blob; undefined where it holds nothing that is to go. */
  without(ref: BlobRef): Promise<BlobRef | undefined> {
    const known = this.#looked.get(ref.sha256)
    if (known) return known
    const looked = this.#look(ref)
    this.#looked.set(ref.sha256, looked)
    return looked
  }

  /** All that hold it, whether or not an event names them: one may be left over from an attempt that broke off. */
  async holding(): Promise<Set<string>> {
    const digests: string[] = []
    const keepAll = (digest: string) => digests.push(digest) > 0
    await this.#store.sweep(keepAll, { unused_ms: 0, dry_run: true })
    const found = new Set<string>()
    for (const digest of digests) if (await this.#holds(digest)) found.add(digest)
    return found
  }

  async #holds(digest: string): Promise<boolean> {
    const known = this.#looked.get(digest)
    if (known) return (await known) !== undefined
    const bytes = await getBlob(this.#store, digest)
    return redactBytes(bytes, this.#redact) !== bytes
  }

  async #look(ref: BlobRef): Promise<BlobRef | undefined> {
    const bytes = await getBlob(this.#store, ref.sha256).catch((thrown: unknown) => {
      // Pruned before; what is damaged is for "verify" to say.
      if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
      throw thrown
    })
    if (!bytes) return undefined
    const parsed = ref.media === 'json' ? tryParse(Buffer.from(bytes).toString()) : undefined
    const after =
      parsed === undefined
        ? redactBytes(bytes, this.#redact)
        : Buffer.from(canonical(redactIn(parsed as Json, this.#redact)))
    if (Buffer.from(after).equals(bytes)) return undefined
    return this.#dryRun ? ref : this.#store.putBlob(after, ref.media)
  }
}
