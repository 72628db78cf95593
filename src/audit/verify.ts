import { type Event, type EventFor, GENESIS, type Settings, type Wire } from '../core/event/event.ts'
import { canonical } from '../core/event/json.ts'
import { isPruned, type Opened, type Redacted, toEvent } from '../core/event/line.ts'
import { blobOf, fieldOf } from '../core/memory/blobs.ts'
import { messagesOf } from '../core/memory/messages.ts'
import { sharedReader } from '../core/memory/tokenizer.ts'
import { fold } from '../core/packet/fold.ts'
import type { State } from '../core/packet/state.ts'
import type { Finding } from '../core/store/finding.ts'
import { isRunLog } from '../core/store/log-entry.ts'
import type { Head, Store } from '../core/store/store.ts'
import { type Prompt, promptOf } from '../core/view/prompt.ts'
import type { Reader } from '../core/view/reader.ts'
import { VIEW } from '../core/view/view.ts'
import { ownMessage, TwotrackError } from '../errors.ts'
import { countedFor, givenFor } from '../model/formats.ts'
import type { ModelRequest } from '../model/model.ts'
import { shortened } from '../model/transcript.ts'
import { askForHelp, readBundle } from '../run/bundle.ts'
import { sha256 } from '../sha256.ts'
import { isInStretch, stretches } from './redacted.ts'
import type { RedactionFound, Verified } from './verified.ts'
import { ProposalCheck } from './verify-proposals.ts'

/**
 * Checks one log from its first byte: every line against its own digests, the chain from line to line, every
 * blob, every recorded prompt against the packet that folds from the events before it, and what was accepted against
 * what was proposed. Heads that are `known` from elsewhere also find a log that was rewritten as a whole.
 */
export async function verifyLog(
  store: Store,
  agentId: string,
  known: Head | readonly Head[] = [],
): Promise<Verified> {
  const check = new LogCheck(store, agentId, [known].flat())
  try {
    for await (const line of store.readLines(agentId)) await check.line(line)
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError)) throw thrown
    check.find('error', thrown.message, whereIn(thrown, check.seq + 1))
  }
  return check.end()
}

const whereIn = (error: TwotrackError, seq: number): string => {
  const { line, offset } = error.details
  return line === undefined ? `event ${seq}` : `line ${line}${offset === undefined ? '' : `, byte ${offset}`}`
}

/** The one kind of prompt whose tokens were counted before it was framed. */
const isPacketText = ({ format, context }: EventFor<'model_request'>['data']): boolean =>
  format === 'text' && context === 'packet'

class LogCheck {
  seq = 0
  readonly #store: Store
  readonly #agentId: string
  readonly #known: readonly Head[]
  readonly #findings: Finding[] = []
  #hash = GENESIS
  #state: State | undefined
  #reader: Reader | undefined
  /** What was last handed to a larger model. */
  #bundle: ReturnType<typeof readBundle>
  /** Events without their raw part, those with marks, and what the log says of both. */
  readonly #pruned: number[] = []
  readonly #marked = new Map<number, Redacted>()
  readonly #redactions: RedactionFound[] = []
  readonly #said = new Map<number, Redacted>()
  /** What is an error only in an event without marks. */
  readonly #doubts: { readonly seq: number; readonly what: string }[] = []
  readonly #proposals: ProposalCheck
  #lost = false
  #prompts = 0
  #sent = 0
  #wire: Wire | undefined
  #unknownView: string | undefined
  #blobs = 0
  /** What the log has where the heads kept elsewhere were. */
  readonly #hashes = new Map<number, string>()

  constructor(store: Store, agentId: string, known: readonly Head[]) {
    this.#store = store
    this.#agentId = agentId
    this.#known = known
    this.#proposals = new ProposalCheck(store, agentId)
  }

  find(level: Finding['level'], what: string, where = `event ${this.seq}`): void {
    this.#findings.push({ level, what, where: `${this.#agentId}, ${where}` })
  }

  async line(opened: Opened): Promise<void> {
    this.#chain(opened)
    const { header, redacted } = opened
    if (isPruned(opened)) this.#pruned.push(header.seq)
    if (Object.keys(redacted).length > 0) this.#marked.set(header.seq, redacted)
    try {
      await this.#event(toEvent(opened))
    } catch (thrown) {
      this.find('error', ownMessage(thrown))
      this.#lost = true // what comes after it cannot be folded either
    }
  }

  async #event(event: Event): Promise<void> {
    await this.#checkBlobs(event)
    if (this.#lost) return
    if (event.type === 'model_request') await this.#checkPrompt(event)
    for (const { level, what } of await this.#proposals.event(event))
      if (level === 'error') this.#doubts.push({ seq: event.seq, what })
      else this.find(level, what)
    if (event.type === 'redacted') this.#redaction(event)
    if (event.type === 'escalation')
      this.#bundle = readBundle(await fieldOf(this.#store, event, 'bundle').catch(() => undefined))
    if (isRunLog(this.#agentId)) return // it has no packet
    this.#state = fold(this.#state, event)
    if (event.type !== 'run_start') return
    this.#wire = event.data.wire
    await this.#prepare(event.data.settings)
  }

  #redaction({ seq, timestamp, data }: EventFor<'redacted'>): void {
    const { raw: removed, marked, ...why } = data
    const seqs = marked.map((one) => one.seq)
    this.#redactions.push({ seq, timestamp, ...why, marked: stretches(seqs), removed })
    for (const one of marked) this.#said.set(one.seq, one)
    const latest = Math.max(...this.#known.map((head) => head.seq))
    if (this.#known.length > 0 && seq > latest)
      this.find(
        'warning',
        `no head kept elsewhere covers this redaction (the last is of event ${latest}): who could write here could make it`,
      )
  }

  async #prepare(settings: Settings): Promise<void> {
    if (settings.view !== VIEW) {
      this.#unknownView = settings.view
      return
    }
    try {
      this.#reader = await sharedReader(settings.tokenizer)
    } catch (thrown) {
      const why = ownMessage(thrown)
      this.find('warning', `the chain is intact, but prompts cannot be checked: ${why}`)
    }
  }

  #chain({ header, hash }: Opened): void {
    const expected = this.seq + 1
    this.seq = header.seq
    if (header.agent_id !== this.#agentId)
      this.find('error', `the event belongs to agent "${header.agent_id}"`)
    if (header.seq !== expected)
      this.find('error', `event ${expected} was expected here: an event was deleted, inserted or moved`)
    else if (header.prev !== this.#hash)
      this.find('error', 'it does not follow from the event before it: one of the two was replaced')
    this.#hash = hash
    if (this.#known.some(({ seq }) => seq === header.seq)) this.#hashes.set(header.seq, hash)
  }

  async #checkBlobs(event: Event): Promise<void> {
    for (const [field, ref] of Object.entries(event.raw?.blobs ?? {})) {
      this.#blobs++
      const where = `event ${event.seq}, ${field}`
      try {
        let size = 0
        for await (const chunk of this.#store.readBlob(ref.sha256)) size += chunk.length
        if (size !== ref.bytes) this.find('error', `the blob has ${size} bytes, not ${ref.bytes}`, where)
      } catch (thrown) {
        // A raw part that is removed on purpose takes its mention of the blob along.
        this.find('error', ownMessage(thrown), where)
      }
    }
  }

  async #checkPrompt(event: EventFor<'model_request'>): Promise<void> {
    this.#prompts++
    const { data, seq } = event
    if (data.parameters) this.#sent++
    if (event.raw !== null && blobOf(event, 'prompt')?.sha256 !== data.prompt_sha256)
      this.find('error', 'the stored prompt is not the one whose digest was recorded')
    if (!this.#state || !this.#reader) return
    const prompt = promptOf(this.#state, this.#reader)
    if (data.purpose === 'escalation') return this.#checkEscalation(event, prompt, this.#reader)
    const doubt = (what: string) => this.#doubts.push({ seq, what })
    const request = this.#isTextKnown(data) ? await this.#requestOf(event, prompt) : undefined
    const budget = data.transcript ? this.#state.settings.prompt_budget : Number.POSITIVE_INFINITY
    if (sha256(canonical(prompt.packet)) !== data.packet_sha256)
      this.find('error', 'the packet that folds from the events before it is not the one that was sent')
    else if (request && sha256(givenFor(data.format, request, data.parameters)) !== data.prompt_sha256)
      doubt('the prompt does not follow from the events before it')
    else if (sha256(prompt.declarations) !== data.tools_sha256)
      this.find('error', 'the tools that were declared are not those of run_start')
    else if (isPacketText(data) && prompt.tokens !== data.prompt_tokens)
      doubt(`the prompt has ${prompt.tokens} tokens, not ${data.prompt_tokens}`)
    else if (request && this.#reader.count(countedFor(data.format, request)) > budget)
      doubt(`the transcript in the prompt goes past the budget of ${budget} tokens`)
  }

  /** What a larger model was asked follows from the bundle that was recorded before; a pruned one can't be checked. */
  #checkEscalation({ data, seq }: EventFor<'model_request'>, { packet }: Prompt, reader: Reader): void {
    if (!this.#bundle) return
    const text = givenFor(data.format, askForHelp(this.#bundle, packet, reader.count), data.parameters)
    const what = 'the prompt of the larger model does not follow from the bundle before it'
    if (sha256(text) !== data.prompt_sha256) this.#doubts.push({ seq, what })
    else if (sha256(canonical(packet)) !== data.packet_sha256)
      this.find('error', 'the packet of the escalation does not fold from the events before it')
  }

  /** The transcript is made of raw parts: a prompt with one can't be made again once any of them is gone. */
  #isTextKnown({ context }: EventFor<'model_request'>['data']): boolean {
    return context === 'packet' || this.#pruned.length + this.#marked.size === 0
  }

  /** The request that its format and context make of the log up to it. */
  async #requestOf({ data, seq }: EventFor<'model_request'>, prompt: Prompt): Promise<ModelRequest> {
    const { context, transcript } = data
    const tools = this.#state?.tools ?? []
    const bare = { prompt, tools, context, callRequired: true }
    if (context === 'packet') return bare
    const messages = await messagesOf(this.#store, this.#agentId, { to: seq - 1 })
    return { ...bare, messages: transcript ? shortened(messages, transcript) : messages }
  }

  /** Where the head kept elsewhere is not that of the log, the history was rewritten. */
  #checkKnown(known: Head): void {
    const hash = this.#hashes.get(known.seq)
    if (hash === undefined) {
      const what = `the log ends at event ${this.seq}, before the head kept elsewhere (${known.seq})`
      this.find('error', what, 'its end')
    } else if (hash !== known.hash) {
      const what = 'its hash is not the one kept elsewhere: the history up to here was rewritten'
      this.find('error', what, `event ${known.seq}`)
    }
  }

  end(): Verified {
    for (const seq of this.#pruned)
      if (!this.#redactions.some(({ removed }) => isInStretch(seq, removed)))
        this.find('error', 'its raw part is gone, and no event says that it was removed', `event ${seq}`)
    for (const [seq, { payload, raw }] of this.#marked) {
      const said = this.#said.get(seq)
      const isSaid = (!payload || payload === said?.payload) && (!raw || raw === said?.raw)
      if (!isSaid)
        this.find(
          'error',
          'its texts were changed, and no event says that they were redacted so',
          `event ${seq}`,
        )
    }
    for (const { seq, what } of this.#doubts)
      if (!this.#marked.has(seq)) this.find('error', what, `event ${seq}`)
    for (const known of this.#known) this.#checkKnown(known)
    return {
      agent_id: this.#agentId,
      ok: !this.#findings.some((finding) => finding.level === 'error'),
      events: this.seq,
      prompts: this.#prompts,
      sent: this.#sent,
      wire: this.#wire,
      blobs: this.#blobs,
      accepted: this.#proposals.accepted,
      pruned: this.#pruned.length,
      redactions: this.#redactions,
      unknown_view: this.#unknownView,
      head: this.seq > 0 ? { seq: this.seq, hash: this.#hash } : undefined,
      findings: this.#findings,
    }
  }
}
