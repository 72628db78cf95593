import { atOnce } from '../at-once.ts'
import type { DataOf } from '../core/event/event.ts'
import type { FileContent, ProposedFile } from '../core/event/file-content.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import type { FileDifference } from './changes.ts'
import { type Border, type Contents, holdsSecret } from './contents.ts'
import type { Side } from './diff.ts'
import type { BegunFile } from './make.ts'
import type { Entry } from './manifest.ts'
import { manifestEntry } from './merged.ts'
import type { Pending } from './proposal.ts'
import type { Workspace } from './workspace.ts'

/** What a workspace changed, as the event that proposes it; contents are stored before this resolves. */
export async function proposalOf(
  workspace: Workspace,
  contents: Contents,
  border: Border,
): Promise<DataOf<'proposal'>> {
  const changes = await workspace.changes()
  const files = await atOnce(changes, WORKSPACE_FILES_AT_ONCE, (one) =>
    proposedFile(workspace, contents, border, one),
  )
  return { files: files.map((file) => ({ ...file, ...renamed(file, changes) })) }
}

async function proposedFile(
  workspace: Workspace,
  contents: Contents,
  border: Border,
  { path, before, after }: FileDifference,
): Promise<ProposedFile> {
  const hidden = border.hide(path)
  if (hidden !== path) return { path: hidden, before: null, after: null, refused: 'its name holds a secret' }
  const isTooLarge = after?.sha256.startsWith('over-limit')
  const keep = (side: Side) => contents.keep(side, holdsSecret(border, side.content))
  const [old, left] = await Promise.all([
    before && workspace.before(before),
    after && !isTooLarge ? workspace.after(path) : undefined,
  ])
  const [was, is] = await Promise.all([
    old ? keep(old) : before ? recordOf(before) : null,
    left ? keep(left) : null,
  ])
  const refused = isTooLarge ? { refused: 'it is over the size that a workspace takes per file' } : {}
  return { path, before: was, after: is, ...refused }
}

/** One whose content is nowhere any more is known by its digest. */
const recordOf = ({ path: _, ...content }: Entry): FileContent => content

/** A file that came while another with the same content went. */
function renamed(
  { path, refused }: ProposedFile,
  changes: readonly FileDifference[],
): { renamed_from?: string } {
  const own = changes.find((one) => one.path === path)
  const isSource = ({ kind, before }: FileDifference) =>
    kind === 'removed' && before?.sha256 === own?.after?.sha256 && before?.mode === own?.after?.mode
  const source = own?.kind === 'added' && refused === undefined ? changes.find(isSource) : undefined
  return source ? { renamed_from: source.path } : {}
}

/** What stands proposed, for a workspace to begin with; the paths of files whose content is not here. */
export async function begunOf(
  pending: Pending,
  contents: Contents,
): Promise<{ readonly begun: readonly BegunFile[]; readonly absent: readonly string[] }> {
  const begun: BegunFile[] = []
  const absent: string[] = []
  for (const { path, before, after, refused } of pending.values()) {
    if (refused !== undefined) continue
    const old = before ? await contents.load(before) : undefined
    const left = after ? await contents.load(after) : undefined
    if ((after && !left) || (before?.secret && !old)) absent.push(path)
    else
      begun.push({
        path,
        // The digest of a content with a secret is of more than the content.
        ...(before ? { before: old ? manifestEntry(path, old) : { path, ...before } } : {}),
        ...(left ? { after: left } : {}),
      })
  }
  return { begun, absent }
}
