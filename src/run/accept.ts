import type { AcceptedFile, FileContent, ProposedFile } from '../core/event/file-content.ts'
import { canonical, type Json } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { segmentsOf } from '../files/confine.ts'
import { Memory, type MemoryOptions } from '../memory.ts'
import { acceptInto, type Taking } from '../workspace/accept.ts'
import { Contents, holdsSecret } from '../workspace/contents.ts'
import type { Side } from '../workspace/diff.ts'
import { merge, type ProjectLog } from '../workspace/merged.ts'
import type { Pending } from '../workspace/proposal.ts'
import { readProposal } from './proposal.ts'

export type AcceptReport = Awaited<ReturnType<typeof acceptProposal>>

/** Who decides about what: all that is proposed, unless paths are named. */
export interface AcceptOptions extends Pick<MemoryOptions, 'secrets'> {
  readonly by?: string
  readonly paths?: readonly string[]
  /** Takes what can be taken where there are conflicts. */
  readonly partial?: boolean
  /** What a person made of the merged files; these and no others. @internal */
  readonly files?: readonly Taking[]
}

/**
 * Takes what an agent proposes into the project, merged with what changed there, and records what was written: all or
 * nothing, unless `partial`.
 */
export async function acceptProposal(
  log: ProjectLog,
  options: AcceptOptions = {},
): Promise<{
  readonly accepted: readonly string[]
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
}> {
  return decide(log, options, async (memory, pending) => {
    const given = options.files ?? (await merge(log, chosen(pending, options.paths)))
    const wanted = given.map((one) => (isStanding(one, pending) ? one : { ...one, conflict: DECIDED }))
    const contents = new Contents(log)
    // Before anything is written: what can't be recorded is not done.
    const recorded = new Map<string, AcceptedFile>()
    for (const one of wanted)
      if (one.conflict === undefined) recorded.set(one.path, await recordOf(one, contents, memory))
    const place = { project: log.project, id: log.agentId }
    const { accepted, conflicts } = await acceptInto(place, wanted, options.partial ?? false)
    const files = accepted.flatMap(({ path }) => recorded.get(path) ?? [])
    const data = { by: options.by ?? 'user', files }
    if (files.length > 0) await memory.record({ type: 'accepted', data }, contents.blobs)
    return { accepted: accepted.map(({ path }) => path), conflicts }
  })
}

/** Proposes it no longer, and records why. Gives the paths. */
export async function rejectProposal(
  log: ProjectLog,
  options: Omit<AcceptOptions, 'partial' | 'files'> & { readonly reason?: string } = {},
): Promise<string[]> {
  return decide(log, options, async (memory, pending) => {
    const { reason = '', by = 'user' } = options
    const files = chosen(pending, options.paths).map(({ path }) => path)
    if (files.length > 0) await memory.record({ type: 'rejected', data: { by, reason, files } })
    return files
  })
}

/** The log is held meanwhile: what an agent is still working on is neither taken nor thrown away. */
async function decide<T>(
  { store, agentId }: ProjectLog,
  { secrets }: AcceptOptions,
  work: (memory: Memory, pending: Pending) => Promise<T>,
): Promise<T> {
  const memory = await Memory.open({
    store,
    agentId,
    ...(secrets === undefined ? {} : { secrets }),
  })
  try {
    return await work(memory, (await readProposal(store, agentId)).pending)
  } finally {
    await memory.close()
  }
}

const DECIDED = 'somebody decided about it at this moment'

const isStanding = ({ path, proposed }: Taking, pending: Pending): boolean =>
  canonical((pending.get(path) ?? null) as Json) === canonical(proposed as Json)

function chosen(pending: Pending, paths: readonly string[] | undefined): ProposedFile[] {
  if (!paths) return [...pending.values()]
  const wanted = [...new Set(paths.map((path) => segmentsOf(path).join('/')))]
  const unknown = wanted.filter((path) => !pending.has(path))
  if (unknown.length > 0)
    throw new TwotrackError(
      'missing',
      `No change is proposed at: ${unknown.slice(0, 5).join(', ')}. List the changes to see their paths.`,
    )
  return wanted.flatMap((path) => pending.get(path) ?? [])
}

/** Stores what a file is and becomes. A content that is the proposed one stays under its name, also where that is salted. */
async function recordOf(one: Taking, contents: Contents, memory: Memory): Promise<AcceptedFile> {
  const { path, how, now, next, left, places, proposed } = one
  const known = [proposed.before, proposed.after].filter((content) => content !== null)
  const keep = async (side: Side): Promise<FileContent> => {
    for (const content of known.filter(({ secret }) => secret)) {
      const same = await contents.load(content)
      if (same && Buffer.compare(same.content, side.content) === 0) return { ...content, mode: side.mode }
    }
    // What is made of a secret holds it too, whether or not it is recognized there.
    return contents.keep(side, known.some(({ secret }) => secret) || holdsSecret(memory.border, side.content))
  }
  return {
    path,
    how,
    project: now ? await keep(now) : null,
    written: next ? await keep(next) : null,
    ...(places ? { places: [...places] } : {}),
    ...(left ? { left: await keep(left) } : {}),
  }
}
