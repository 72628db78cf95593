import type { Event } from '../core/event/event.ts'
import type { FileContent, ProposedFile } from '../core/event/file-content.ts'
import type { Contents } from './contents.ts'
import { type Diff, unifiedDiff } from './diff.ts'

/** One file of an event as a patch. Without a diff where a content is not here. */
export interface FilePatch {
  readonly path: string
  readonly renamed_from?: string
  /** How a person took it. */
  readonly how?: string
  readonly diff?: Diff
  /** Why there is none. */
  readonly absent?: string
}

/** What an event proposes, or says was written: what `git apply` takes. */
export interface EventPatch {
  readonly agent_id: string
  readonly seq: number
  readonly files: readonly FilePatch[]
}

/** The diff that an event tells of, from the log alone; without files where it tells of none. */
export async function patchOf(event: Event, contents: Pick<Contents, 'load'>): Promise<EventPatch> {
  const { agent_id, seq } = event
  const files: FilePatch[] = event.type === 'proposal' ? await proposedPatch(event.data.files, contents) : []
  for (const { path, how, project, written } of event.type === 'accepted' ? event.data.files : [])
    files.push({ path, how, ...(await diffOf(path, project, written, contents)) })
  return { agent_id, seq, files }
}

/** What is proposed, as the agent saw the project. */
export async function proposedPatch(
  proposed: Iterable<ProposedFile>,
  contents: Pick<Contents, 'load'>,
): Promise<FilePatch[]> {
  const files: FilePatch[] = []
  for (const { path, before, after, refused, renamed_from } of proposed)
    files.push({
      path,
      ...(renamed_from === undefined ? {} : { renamed_from }),
      ...(refused === undefined || after ? await diffOf(path, before, after, contents) : { absent: refused }),
    })
  return files
}

/** The patches of all files; those that have none are told in a line that git passes over. */
export const patchText = (files: readonly FilePatch[]): string =>
  files.map(({ path, diff, absent }) => diff?.text ?? `# ${JSON.stringify(path)}: ${absent}\n`).join('')

async function diffOf(
  path: string,
  before: FileContent | null,
  after: FileContent | null,
  contents: Pick<Contents, 'load'>,
): Promise<Pick<FilePatch, 'diff' | 'absent'>> {
  const sides = [before, after].map((content) => content && contents.load(content))
  const [from, to] = await Promise.all(sides)
  const missing = (before && !from && before) || (after && !to && after)
  if (missing) return { absent: absentBecause(missing) }
  return { diff: unifiedDiff(path, from ?? undefined, to ?? undefined) }
}

/** Why a content can't be shown or taken here. */
export const absentBecause = ({ secret }: FileContent): string =>
  secret
    ? 'it holds a secret, and the key that its content is sealed with is not here'
    : 'its content is not stored'
