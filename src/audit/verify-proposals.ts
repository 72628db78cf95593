import type { Event, EventFor } from '../core/event/event.ts'
import type { AcceptedFile, FileContent, ProposedFile } from '../core/event/file-content.ts'
import type { Finding } from '../core/store/finding.ts'
import type { Store } from '../core/store/store.ts'
import { Contents } from '../workspace/contents.ts'
import type { Side } from '../workspace/diff.ts'
import { mergeTexts } from '../workspace/merged.ts'
import { joinParts, textParts } from '../workspace/parts.ts'
import { foldProposal, type Pending } from '../workspace/proposal.ts'

type Doubt = Pick<Finding, 'level' | 'what'>

/** Follows a log, and checks that what was accepted follows from what was proposed. */
export class ProposalCheck {
  /** Files whose acceptance was looked at. */
  accepted = 0
  readonly #contents: Contents
  readonly #agentId: string
  #pending: Pending = new Map()

  constructor(store: Store, agentId: string) {
    this.#contents = new Contents({ store, agentId })
    this.#agentId = agentId
  }

  async event(event: Event): Promise<Doubt[]> {
    const doubts: Doubt[] = []
    if (event.type === 'rejected')
      for (const path of event.data.files)
        if (!this.#pending.has(path)) doubts.push(error(path, 'was rejected, and not proposed'))
    if (event.type === 'accepted')
      for (const file of event.data.files) doubts.push(...(await this.#accepted(file, event)))
    this.#pending = foldProposal(this.#pending, event)
    return doubts
  }

  async #accepted(file: AcceptedFile, { raw }: EventFor<'accepted'>): Promise<Doubt[]> {
    this.accepted++
    const { path, project, written, left } = file
    const proposed = this.#pending.get(path)
    if (!proposed) return [error(path, 'was accepted, and not proposed')]
    const isStored = (content: FileContent | null | undefined) =>
      !content || content.secret || !raw || raw.blobs?.[content.sha256] !== undefined
    if (![project, written, left].every(isStored))
      return [error(path, 'was accepted, and the event does not name its content')]
    const doubt = file.how === 'edited' ? undefined : await this.#follows(file, proposed)
    return doubt ? [doubt] : []
  }

  /** Whether what was written is what was proposed, the merge of it with the project, or the places that are named. */
  async #follows(file: AcceptedFile, proposed: ProposedFile): Promise<Doubt | undefined> {
    const { path, how, project, written, left, places = [] } = file
    const { before, after } = proposed
    const notHere = warning(path, "was accepted; that can't be checked, since a content of it is not here")
    if (how === 'whole' && isSame(written, after)) return undefined
    const [now, theirs, result] = await this.#load(project, after, written)
    if (!theirs || !result || (how !== 'whole' && !now)) return notHere
    let next = theirs.content
    if (how !== 'whole' && now && !isSame(before, project)) {
      const [old] = await this.#load(before)
      if (!old) return notHere
      const merged = await mergeTexts(old, now, theirs, this.#agentId)
      if (!merged) return warning(path, "was merged; without git that can't be checked")
      next = merged.content
    }
    const expected = how === 'part' && now ? partOf(now.content, next, places) : next
    if (!isEqual(result.content, expected))
      return error(path, 'was written as something that does not follow from what was proposed')
    const [rest] = left ? await this.#load(left) : []
    if (rest && !isEqual(rest.content, next)) return error(path, 'is proposed further as something else')
    return undefined
  }

  #load(...contents: (FileContent | null)[]): Promise<(Side | undefined)[]> {
    return Promise.all(contents.map((one) => (one ? this.#contents.load(one) : undefined)))
  }
}

const error = (path: string, what: string): Doubt => ({ level: 'error', what: `"${path}" ${what}` })
const warning = (path: string, what: string): Doubt => ({ level: 'warning', what: `"${path}" ${what}` })

const isSame = (one: FileContent | null, other: FileContent | null): boolean => one?.sha256 === other?.sha256
const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

function partOf(now: Uint8Array, next: Uint8Array, places: readonly number[]): Uint8Array {
  const parts = textParts(Buffer.from(now).toString(), Buffer.from(next).toString())
  return Buffer.from(joinParts(parts, (change) => places.includes(change)))
}
