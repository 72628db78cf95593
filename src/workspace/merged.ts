import { readlink } from 'node:fs/promises'
import { atOnce } from '../at-once.ts'
import type { AcceptedFile, FileContent, ProposedFile } from '../core/event/file-content.ts'
import type { Store } from '../core/store/store.ts'
import { ownMessage } from '../errors.ts'
import { segmentsOf } from '../files/confine.ts'
import { readRegular } from '../files/files.ts'
import { atFile } from '../files/held.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { sha256 } from '../sha256.ts'
import { Contents } from './contents.ts'
import { type Side, unifiedDiff } from './diff.ts'
import { type Entry, entryAt } from './manifest.ts'
import { absentBecause } from './patch.ts'
import { threeWay } from './three-way.ts'

/** What becomes of one file of the project when an agent's change is taken. */
export interface Merged {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'removed'
  readonly proposed: ProposedFile
  /** The project's file as it is. */
  readonly now: Side | undefined
  /** As it will be. With a conflict: both versions between marks where these are known, else what the agent left. */
  readonly next: Side | undefined
  readonly how: AcceptedFile['how']
  /** Why it cannot be taken as it is. */
  readonly conflict?: string
}

/** The same as a person reads it: a diff of the project as it is now. */
export interface Change {
  readonly path: string
  readonly kind: 'added' | 'modified' | 'removed'
  /** A patch that `git apply` takes. */
  readonly text: string
  readonly binary: boolean
  readonly lines_added: number
  readonly lines_removed: number
  readonly renamed_from?: string
  /** Whether the project's own changes are merged with the agent's. */
  readonly merged: boolean
  /** Why it cannot be accepted. */
  readonly conflict?: string
}

/** A log, and the project that it proposes changes to. */
export interface ProjectLog {
  readonly store: Store
  readonly agentId: string
  readonly project: string
}

/** Contents that count instead of the project's own, by path: what other agents propose, taken before. */
export type Taken = ReadonlyMap<string, Side | undefined>

/** Each file with the project as it is. */
export function merge(log: ProjectLog, files: Iterable<ProposedFile>, taken?: Taken): Promise<Merged[]> {
  const contents = new Contents(log)
  return atOnce([...files], WORKSPACE_FILES_AT_ONCE, (file) => mergedOf(log, contents, file, taken))
}

async function mergedOf(
  { project, agentId }: ProjectLog,
  contents: Contents,
  proposed: ProposedFile,
  taken?: Taken,
): Promise<Merged> {
  const { path, before, after } = proposed
  const kind = !before ? 'added' : after ? 'modified' : 'removed'
  const file = { path, kind, proposed, how: 'whole' } as const
  const refused = (conflict: string, now?: Side, next = now) => ({ ...file, now, next, conflict })
  const refusal = proposed.refused ?? wrongPlace(path)
  if (refusal !== undefined) return refused(refusal)
  const now = taken?.has(path) ? taken.get(path) : await sideAt(project, path).catch(ownMessage)
  if (typeof now === 'string') return refused(now)
  const old = before ? await contents.load(before) : undefined
  const theirs = after ? await contents.load(after) : undefined
  if (after && !theirs) return refused(absentBecause(after), now)
  const next = theirs && withMode(theirs, before, now)
  const isUnchanged = isOf(before, old, now) || isOf(after, theirs, now)
  if (isUnchanged) return { ...file, now, next }
  if (!before) return refused('the project got a file of that name since the copy', now, next)
  if (!now) return refused('it was removed from the project since the copy', now, next)
  if (!next) return refused('it changed in the project since the copy, and the agent removed it', now, next)
  const both = { ...file, now, how: 'merged' } as const
  const merged = old && (await mergeTexts(old, now, next, agentId))
  const changed = 'it changed in the project since the copy'
  if (!merged) return { ...both, next, conflict: changed }
  const side = { ...next, content: merged.content }
  if (merged.conflicts === 0) return { ...both, next: side }
  const count = `${merged.conflicts} ${merged.conflicts === 1 ? 'place' : 'places'}`
  return { ...both, next: side, conflict: `${changed}, in ${count} that the agent changed too` }
}

/** Three versions of a text merged; undefined where one is no text, or where there is no git. */
export const mergeTexts = (old: Side, now: Side, next: Side, agentId: string) =>
  [old, now, next].some(({ mode }) => mode === '120000')
    ? undefined
    : threeWay(old.content, now.content, next.content, agentId)

const OWN: ReadonlySet<string> = new Set(['.git', '.agentfs'])

/** A log may come from anywhere, and what it proposes may be taken unseen. */
function wrongPlace(path: string): string | undefined {
  try {
    const segments = segmentsOf(path)
    if (segments.some((one) => OWN.has(one.toLowerCase())))
      return 'it belongs to git or to the records of agents'
    return segments.join('/') === path ? undefined : 'its path is not as it is written for a project'
  } catch (thrown) {
    return ownMessage(thrown)
  }
}

export function changeOf({ path, kind, proposed, now, next, how, conflict }: Merged): Change {
  const { renamed_from } = proposed
  return {
    path,
    kind,
    ...(renamed_from === undefined ? {} : { renamed_from }),
    ...unifiedDiff(path, now, next),
    merged: how === 'merged',
    ...(conflict === undefined ? {} : { conflict }),
  }
}

/** The executable bit is the agent's where it changed that, else the project's. */
function withMode(side: Side, before: FileContent | null, now: Side | undefined): Side {
  const isKept = before && now && now.mode !== '120000' && side.mode !== '120000'
  return isKept && before.mode === side.mode ? { ...side, mode: now.mode } : side
}

/** Whether a file of the project is the recorded one, or both are absent. */
function isOf(recorded: FileContent | null, known: Side | undefined, side: Side | undefined): boolean {
  if (!recorded || !side) return !recorded && !side
  if ((recorded.mode === '120000') !== (side.mode === '120000')) return false
  return known
    ? Buffer.compare(known.content, side.content) === 0
    : !recorded.secret && sha256(side.content) === recorded.sha256
}

export const isSameSide = (one: Side | undefined, other: Side | undefined): boolean =>
  one && other
    ? (one.mode === '120000') === (other.mode === '120000') &&
      Buffer.compare(one.content, other.content) === 0
    : !one && !other

/** The same in the eyes of git, its mode included. */
export const isSameFile = (one: Side | undefined, other: Side | undefined): boolean =>
  one?.mode === other?.mode && isSameSide(one, other)

export const manifestEntry = (path: string, { content, mode }: Side): Entry => ({
  path,
  bytes: content.length,
  sha256: sha256(content),
  mode,
})

/**
 * What is at a path now; undefined when nothing is, or something that is no file and no link. Throws `outside_workspace`
 * if a link on the way leads out of `root`.
 */
export const sideAt = (root: string, path: string): Promise<Side | undefined> =>
  atFile(root, path, (file) => readSide(file, path))

async function readSide(file: string, path: string): Promise<Side | undefined> {
  const entry = await entryAt(file, path)
  if (!entry) return undefined
  const { mode } = entry
  return {
    mode,
    content: mode === '120000' ? Buffer.from(await readlink(file)) : await readRegular(file, path),
  }
}
