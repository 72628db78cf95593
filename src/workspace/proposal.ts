import type { Event } from '../core/event/event.ts'
import type { ProposedFile } from '../core/event/file-content.ts'

/** What stands proposed, by path: neither taken nor rejected yet. */
export type Pending = ReadonlyMap<string, ProposedFile>

/** Why a proposed file is refused of which `redact` took a text. */
export const TEXT_TAKEN_OUT = 'a text was taken out of it by redact; start it again'

/** One event onto what stands proposed. Pure; an event about something else returns the same reference. */
export function foldProposal(pending: Pending, event: Event): Pending {
  if (event.type === 'proposal') return new Map(event.data.files.map((file) => [file.path, file]))
  if (event.type !== 'accepted' && event.type !== 'rejected') return pending
  const left = new Map(pending)
  if (event.type === 'rejected') for (const path of event.data.files) left.delete(path)
  else {
    const refused = event.redacted?.includes('payload') ? { refused: TEXT_TAKEN_OUT } : {}
    for (const { path, written, left: rest } of event.data.files)
      if (rest) left.set(path, { path, before: written, after: rest, ...refused })
      else left.delete(path)
  }
  return left
}
