import { readEvent } from '../../audit/history.ts'
import { type TranscriptPart, transcriptOf } from '../../audit/transcript.ts'
import type { Store } from '../../core/store/store.ts'
import { readProposal } from '../../run/proposal.ts'
import { type ContentPlace, Contents } from '../../workspace/contents.ts'
import { type FilePatch, proposedPatch } from '../../workspace/patch.ts'
import { patchAt } from '../proposals.ts'

/** One file of what an agent proposes, or that somebody took or rejected. */
export interface InspectedChange {
  readonly path: string
  readonly standing: 'proposed' | 'accepted' | 'rejected'
  readonly by?: string
  /** As `git apply` takes it; without one, why there is none. */
  readonly patch?: string
  readonly absent?: string
}

/** What an agent proposes now, and what became of what it proposed before. */
export async function changesIn(
  place: Pick<ContentPlace, 'store' | 'shut'>,
  agentId: string,
): Promise<InspectedChange[]> {
  const { pending } = await readProposal(place.store, agentId)
  const contents = new Contents({ ...place, agentId })
  const standing = await proposedPatch(pending.values(), contents)
  const changes = standing.map((file) => changeOf(file, 'proposed'))
  let proposed = 0
  for await (const event of place.store.read(agentId, { raw: false })) {
    if (event.type === 'proposal') proposed = event.seq
    if (event.type === 'accepted') {
      const { files } = await patchAt(place, event)
      changes.push(...files.map((file) => changeOf(file, 'accepted', event.data.by)))
    }
    if (event.type === 'rejected') {
      const before = await readEvent(place.store, agentId, proposed)
      const files = before ? (await patchAt(place, before)).files : []
      const rejected = files.filter(({ path }) => event.data.files.includes(path))
      changes.push(...rejected.map((file) => changeOf(file, 'rejected', event.data.by)))
    }
  }
  return changes
}

const changeOf = (
  { path, diff, absent }: FilePatch,
  standing: InspectedChange['standing'],
  by?: string,
): InspectedChange => ({
  path,
  standing,
  ...(by === undefined ? {} : { by }),
  ...(diff ? { patch: diff.text } : {}),
  ...(absent === undefined ? {} : { absent }),
})

const CHAT_LINES_MAX = 60
const CHAT_CHARS_MAX = 12_000

/** The conversation as a person reads it; long outputs are cut, and their event has them whole. */
export async function chatOf(store: Store, agentId: string): Promise<TranscriptPart[]> {
  const parts: TranscriptPart[] = []
  for await (const part of transcriptOf(store, agentId, { linesMax: CHAT_LINES_MAX }))
    if (part.who !== 'person' || part.text !== '')
      parts.push(
        part.text.length > CHAT_CHARS_MAX
          ? { ...part, text: `${part.text.slice(0, CHAT_CHARS_MAX)}…` }
          : part,
      )
  return parts
}
