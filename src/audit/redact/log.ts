import { utf8Length } from '../../core/event/bytes.ts'
import { type BlobRef, contentTypes, type Event, type EventFor } from '../../core/event/event.ts'
import type { FileContent } from '../../core/event/file-content.ts'
import { canonical, isObject, type Json, type JsonObject } from '../../core/event/json.ts'
import { type Opened, open, redactLine, toEvent } from '../../core/event/line.ts'
import { sharedReader } from '../../core/memory/tokenizer.ts'
import { fold } from '../../core/packet/fold.ts'
import type { State } from '../../core/packet/state.ts'
import { isRunLog } from '../../core/store/log-entry.ts'
import type { Store } from '../../core/store/store.ts'
import { promptOf } from '../../core/view/prompt.ts'
import type { Reader } from '../../core/view/reader.ts'
import { ownMessage } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import { foldProposal, type Pending, TEXT_TAKEN_OUT } from '../../workspace/proposal.ts'
import { rewriteLog } from '../redacted.ts'
import type { RedactedBlobs } from './blobs.ts'
import { assertOnlyMarks, type Redact, redactIn } from './texts.ts'

export interface RedactedLog {
  readonly agent_id: string
  readonly events: number
  /** What of it stays as it is, and why. */
  readonly left?: string
  /** Files that stand proposed and can't be taken any more: a text of them goes. */
  readonly proposed?: readonly string[]
}

/** Who redacts, why, and what, in words that do not repeat it. */
export type Redaction = Pick<EventFor<'redacted'>['data'], 'by' | 'reason' | 'pattern'> & {
  readonly redact: Redact
  readonly dry_run?: boolean
}

/** Redacts one log. One that is being written or can't be read is left. */
export async function redactLog(
  store: Store,
  agent_id: string,
  { redact, by, reason, pattern, dry_run = false }: Redaction,
  blobs: RedactedBlobs,
): Promise<RedactedLog> {
  try {
    const { matches, replaced, reader, ids, proposed } = await look(store, agent_id, redact, blobs)
    const told = {
      ...(ids.length === 0 ? {} : { left: idsLeft(ids, redact) }),
      ...(proposed.length === 0 ? {} : { proposed }),
    }
    if (matches === 0 || dry_run) return { agent_id, events: matches, ...told }
    const log = new LogRedaction(redact, replaced, reader)
    await rewriteLog(store, agent_id, () => ({
      line: (line, opened) => log.next(line, opened),
      taken: () => (log.marked.length > 0 ? { by, reason, pattern, raw: [], marked: log.marked } : undefined),
    }))
    return { agent_id, events: log.marked.length, ...told }
  } catch (thrown) {
    return { agent_id, events: 0, left: ownMessage(thrown) }
  }
}

/** Ids name files and rows and are in the headers, which the chain is made of. */
const idsLeft = (ids: readonly string[], redact: Redact): string =>
  `its ids hold what is to go (${ids.map(redact).join(', ')}), and ids stay as they are: remove that log as a whole.`

/** What would change, and blobs without what is to go: they are stored before any event names them. */
async function look(store: Store, agentId: string, redact: Redact, blobs: RedactedBlobs) {
  const replaced = new Map<string, BlobRef>()
  const ids = new Set<string>()
  let matches = 0
  let reader: Reader | undefined
  let pending: Pending = new Map()
  for await (const opened of store.readLines(agentId)) {
    const { agent_id, run_id, node_id, operation } = opened.header
    for (const id of [agent_id, run_id, node_id, operation]) if (redact(id) !== id) ids.add(id)
    const event = toEvent(opened)
    pending = foldProposal(pending, event)
    if (event.type === 'run_start')
      reader = await sharedReader(event.data.settings.tokenizer).catch(() => sharedReader())
    let inBlobs = false
    for (const ref of Object.values(event.raw?.blobs ?? {})) {
      const other = await blobs.without(ref)
      if (!other) continue
      inBlobs = true
      replaced.set(ref.sha256, other)
    }
    const texts: Json = [opened.payload, opened.raw ?? null]
    if (inBlobs || !isSame(redactIn(texts, redact), texts)) matches++
  }
  const isTaken = (content: FileContent | null) => content !== null && replaced.has(content.sha256)
  const proposed = [...pending.values()]
    .filter(
      ({ path, before, after, refused }) =>
        refused === undefined && (isTaken(before) || isTaken(after) || redact(path) !== path),
    )
    .map(({ path }) => redact(path))
  return { matches, replaced, reader, ids: [...ids], proposed }
}

const isSame = (one: Json, other: Json): boolean => canonical(one) === canonical(other)

/** One pass over a log: each line with marks where something was taken out. */
class LogRedaction {
  readonly marked: EventFor<'redacted'>['data']['marked'] = []
  readonly #redact: Redact
  /** Blobs that hold what is to go, and what takes their place. */
  readonly #replaced: ReadonlyMap<string, BlobRef>
  readonly #reader: Reader | undefined
  #state: State | undefined

  constructor(redact: Redact, replaced: ReadonlyMap<string, BlobRef>, reader: Reader | undefined) {
    this.#redact = redact
    this.#replaced = replaced
    this.#reader = reader
  }

  next(line: Uint8Array, opened: Opened): Uint8Array {
    const { header, payload: before, raw: rawBefore = null } = opened
    const raw = this.#raw(rawBefore)
    const isRawChanged = !isSame(raw, rawBefore)
    const redacted = this.#marked(before) as JsonObject
    const data = redacted['data'] as JsonObject
    const payload = { ...redacted, data: { ...data, ...this.#digests(header.type, data, raw, isRawChanged) } }
    const change = {
      ...(isSame(payload, before) ? {} : { payload }),
      ...(isRawChanged ? { raw } : {}),
    }
    const isChanged = 'payload' in change || isRawChanged
    const changed = isChanged ? redactLine(line, change, sha256) : line
    const now = isChanged ? open(changed, sha256) : opened
    if (isChanged) this.marked.push({ seq: header.seq, ...now.redacted })
    if (!isRunLog(header.agent_id)) this.#state = fold(this.#state, toEvent(now))
    return changed
  }

  /** A value with marks in place of what is to go, and nothing else changed. */
  #marked(value: Json): Json {
    const after = redactIn(value, this.#redact)
    assertOnlyMarks(value, after)
    return after
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
      ...(this.#marked(fields) as JsonObject),
      ...(blobs ? { blobs: Object.fromEntries(others) } : {}),
    }
  }

  /** Digests in the payload are of what stays: they have no nonce, and one of what went could be found out by trying. */
  #digests(type: Event['type'], data: JsonObject, raw: Json, isChanged: boolean): JsonObject {
    const fields = isObject(raw) ? (raw as JsonObject) : {}
    const blobs = (fields['blobs'] ?? {}) as Record<string, BlobRef>
    const { raw_output: text, args } = fields
    const ref = blobs['raw_output']
    if (type === 'model_request') return this.#request(data, blobs)
    if (contentTypes.has(type)) return { files: this.#files(type, data['files'] ?? []) }
    if (type === 'tool_call' && data['args_sha256'] !== undefined && args !== undefined)
      return { args_sha256: sha256(canonical(args)) }
    if (type !== 'tool_result' || !isChanged) return {}
    if (typeof text === 'string') return { output_sha256: sha256(text), output_bytes: utf8Length(text) }
    return ref ? { output_sha256: ref.sha256, output_bytes: ref.bytes } : {}
  }

  /** Nobody takes a mark into a project: a proposed file of which a text went is refused from now on. */
  #files(type: Event['type'], files: Json): Json {
    const after = this.#contents(files)
    if (type !== 'proposal' || !Array.isArray(files) || !Array.isArray(after)) return after
    return after.map((file, at) =>
      isSame(file, files[at] ?? null) ? file : { ...(file as JsonObject), refused: TEXT_TAKEN_OUT },
    )
  }

  /** Contents of files by the digests of what stays of them. */
  #contents(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.#contents(item))
    if (!isObject(value)) return value
    const fields = Object.entries(value as JsonObject).map(([key, field]) => [key, this.#contents(field)])
    const ref = this.#replaced.get(String((value as JsonObject)['sha256']))
    return {
      ...Object.fromEntries(fields),
      ...(ref ? { sha256: ref.sha256, ...('secret' in value ? {} : { bytes: ref.bytes }) } : {}),
    }
  }

  /** What a request says of its packet holds again once that folds from what stays. */
  #request(data: JsonObject, blobs: Record<string, BlobRef>): JsonObject {
    const prompt = blobs['prompt'] ? { prompt_sha256: blobs['prompt'].sha256 } : {}
    if (this.marked.length === 0 || !this.#state || !this.#reader) return prompt
    const { packet, declarations } = promptOf(this.#state, this.#reader)
    const tools = data['purpose'] === 'turn' ? { tools_sha256: sha256(declarations) } : {}
    return { ...prompt, ...tools, packet_sha256: sha256(canonical(packet)) }
  }
}
