import { utf8Length } from '../../core/event/bytes.ts'
import { type BlobRef, contentTypes, type Event } from '../../core/event/event.ts'
import { canonical, isObject, type Json, type JsonObject, tryParse } from '../../core/event/json.ts'
import { type Opened, reseal, type Sealed, toEvent } from '../../core/event/line.ts'
import { loadTokenizer } from '../../core/memory/tokenizer.ts'
import { fold } from '../../core/packet/fold.ts'
import type { State } from '../../core/packet/state.ts'
import { getBlob, type Store } from '../../core/store/store.ts'
import { promptOf } from '../../core/view/prompt.ts'
import { readerOf } from '../../core/view/reader.ts'
import type { Reader } from '../../core/view/view.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import { ifThere } from '../history.ts'
import { rewriteLog, stretches } from '../tombstone.ts'
import { type Redact, redactBytes, redactIn } from './texts.ts'

/** Blobs that hold what is to go, and what takes their place. */
type Replaced = ReadonlyMap<string, BlobRef>

export interface RedactedLog {
  readonly agent_id: string
  /** Events that changed. */
  readonly events: number
  /** Why it was left as it is. */
  readonly left?: string
}

/** Redacts one log, and says which blobs it names afterwards. One that is being written or can't be read is left. */
export async function redactLog(
  store: Store,
  agent_id: string,
  { redact, reason, dry_run = false }: { redact: Redact; reason: string; dry_run?: boolean },
  blobs: RedactedBlobs,
): Promise<RedactedLog & { readonly blobs: readonly string[] }> {
  const named = new Set<string>()
  try {
    assertOutsideIds(agent_id, redact)
    const { matches, replaced, reader } = await look(store, agent_id, redact, blobs, named)
    if (matches === 0 || dry_run) return { agent_id, events: matches, blobs: [...named] }
    const log = new Redaction(redact, replaced, reader)
    await rewriteLog(store, agent_id, (head) => ({
      line: (_line, opened) => Buffer.from(log.next(opened).line),
      taken: () => {
        const events = stretches(log.changed)
        return events.length > 0 ? { by: 'redact', reason, raw: [], redacted: { events, head } } : undefined
      },
    }))
    return {
      agent_id,
      events: log.changed.length,
      blobs: [...named].map((digest) => replaced.get(digest)?.sha256 ?? digest),
    }
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError)) throw thrown
    return { agent_id, events: 0, left: messageOf(thrown), blobs: [...named] }
  }
}

/** Ids name files and rows, and stand in every line of other logs' runs. */
function assertOutsideIds(agentId: string, redact: Redact): void {
  if (redact(agentId) !== agentId)
    throw new TwotrackError(
      'bad_argument',
      `The id of a log holds what is to go (${redact(agentId)}); ids are not rewritten. Remove that log as a whole.`,
    )
}

/** What would change, and blobs without what is to go: they are stored before any event names them. */
async function look(store: Store, agentId: string, redact: Redact, blobs: RedactedBlobs, named: Set<string>) {
  const replaced = new Map<string, BlobRef>()
  let matches = 0
  let reader: Reader | undefined
  for await (const opened of store.readLines(agentId)) {
    const ids = [opened.header.run_id, opened.header.node_id, opened.header.operation].join('\n')
    if (redact(ids) !== ids)
      throw new TwotrackError(
        'bad_argument',
        `The ids of event ${opened.header.seq} hold what is to go (${redact(ids).replaceAll('\n', ', ')}); ids are not rewritten.`,
      )
    const event = toEvent(opened)
    if (event.type === 'run_start')
      reader = readerOf(
        await loadTokenizer(event.data.settings.tokenizer).catch(() => loadTokenizer('estimate-1')),
      )
    let inBlobs = false
    for (const ref of Object.values(event.raw?.blobs ?? {})) {
      named.add(ref.sha256)
      const other = await blobs.without(ref)
      if (!other) continue
      inBlobs = true
      replaced.set(ref.sha256, other)
    }
    const texts: Json = [opened.payload, opened.raw ?? null]
    if (inBlobs || canonical(redactIn(texts, redact)) !== canonical(texts)) matches++
  }
  return { matches, replaced, reader }
}

/** One pass over a log: each event as it stays, and the chain anew from the first one that changes. */
class Redaction {
  /** `seq` of what changed, not counting those that only follow from another. */
  readonly changed: number[] = []
  readonly #redact: Redact
  readonly #replaced: Replaced
  readonly #reader: Reader | undefined
  #state: State | undefined
  #prev: string | undefined

  constructor(redact: Redact, replaced: Replaced, reader: Reader | undefined) {
    this.#redact = redact
    this.#replaced = replaced
    this.#reader = reader
  }

  next(opened: Opened): Sealed {
    const { header, raw: rawBefore = null } = opened
    const raw = this.#raw(rawBefore)
    const redacted = redactIn(opened.payload, this.#redact) as JsonObject
    const data = redacted['data'] as JsonObject
    const isRawChanged = canonical(raw) !== canonical(rawBefore)
    const payload = { ...redacted, data: { ...data, ...this.#digests(header.type, data, raw, isRawChanged) } }
    if (isRawChanged || canonical(payload) !== canonical(opened.payload)) this.changed.push(header.seq)
    const sealed = reseal(opened, payload, raw, this.#prev ?? header.prev, sha256)
    this.#prev = sealed.event.hash
    this.#state = fold(this.#state, sealed.event)
    return sealed
  }

  #raw(raw: Json): Json {
    if (!isObject(raw)) return raw
    const { blobs, ...fields } = raw as JsonObject
    const others = isObject(blobs)
      ? Object.entries(blobs as Record<string, BlobRef>).map(([field, ref]) => {
          const other = this.#replaced.get(ref.sha256)
          // The content of a file stands under its own digest.
          return other ? [field === ref.sha256 ? other.sha256 : field, other] : [field, ref]
        })
      : []
    return {
      ...(redactIn(fields, this.#redact) as JsonObject),
      ...(blobs ? { blobs: Object.fromEntries(others) } : {}),
    }
  }

  /** Digests in the payload are of what stays: one of what went could be found out by trying. */
  #digests(type: Event['type'], data: JsonObject, raw: Json, isChanged: boolean): JsonObject {
    const fields = isObject(raw) ? (raw as JsonObject) : {}
    const blobs = (fields['blobs'] ?? {}) as Record<string, BlobRef>
    const { raw_output: text, args } = fields
    const ref = blobs['raw_output']
    if (type === 'model_request') return this.#request(data, blobs)
    if (contentTypes.has(type)) return { files: this.#contents(data['files'] ?? []) }
    if (type === 'tool_call' && data['args_sha256'] !== undefined && args !== undefined)
      return { args_sha256: sha256(canonical(args)) }
    if (type !== 'tool_result' || !isChanged) return {}
    if (typeof text === 'string') return { output_sha256: sha256(text), output_bytes: utf8Length(text) }
    return ref ? { output_sha256: ref.sha256, output_bytes: ref.bytes } : {}
  }

  /** Contents of files by the digests of what stays of them. */
  #contents(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.#contents(item))
    if (!isObject(value)) return value
    const fields = Object.entries(value as JsonObject).map(([key, field]) => [key, this.#contents(field)])
    const ref = this.#replaced.get(String((value as JsonObject)['sha256']))
    return { ...Object.fromEntries(fields), ...(ref ? { sha256: ref.sha256, bytes: ref.bytes } : {}) }
  }

  #request(data: JsonObject, blobs: Record<string, BlobRef>): JsonObject {
    const prompt = blobs['prompt'] ? { prompt_sha256: blobs['prompt'].sha256 } : {}
    if (this.changed.length === 0 || !this.#state || !this.#reader) return prompt
    const { packet, declarations } = promptOf(this.#state, this.#reader)
    const tools = data['purpose'] === 'turn' ? { tools_sha256: sha256(declarations) } : {}
    return { ...prompt, ...tools, packet_sha256: sha256(canonical(packet)) }
  }
}

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
