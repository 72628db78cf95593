import { readlink } from 'node:fs/promises'
import { TwotrackError } from '../errors.ts'
import { readRegular } from '../files/files.ts'
import { atFile } from '../files/held.ts'
import { sha256 } from '../sha256.ts'
import type { Difference } from './changes.ts'
import { type Diff, type Side, unifiedDiff } from './diff.ts'
import { type Entry, entryAt } from './manifest.ts'
import { originalOf } from './originals.ts'
import { threeWay } from './three-way.ts'

/** What becomes of one file of the project when an agent's change is taken. */
export interface Merged {
  readonly path: string
  readonly kind: Difference['kind']
  /** The project's file as it is. */
  readonly now: Side | undefined
  /** As it will be. With a conflict: both versions between marks where these are known, else what the agent left. */
  readonly next: Side | undefined
  /** Whether it changed in the project too since the agent began. */
  readonly both: boolean
  /** Why it cannot be taken as it is. */
  readonly conflict?: string
}

/** The same as a person reads it: a diff of the project as it is now. */
export interface Change extends Diff {
  readonly path: string
  readonly kind: Difference['kind']
  /** Whether the project's own changes are merged with the agent's. */
  readonly merged: boolean
  /** Why it cannot be accepted. */
  readonly conflict?: string
}

export interface MergePlaces {
  /** Where the agent's files are. */
  readonly root: string
  readonly project: string
  /** Of the workspace. */
  readonly home: string
  readonly id: string
}

/** Contents that count instead of the project's own, by path: what other agents propose, taken before. */
export type Taken = ReadonlyMap<string, Side | undefined>

export async function mergedOf(places: MergePlaces, one: Difference, taken?: Taken): Promise<Merged> {
  const { path, kind, before, after } = one
  const refused = (conflict: string, now: Side | undefined, next = now) =>
    ({ path, kind, now, next, both: false, conflict }) as const
  if (after?.sha256.startsWith('over-limit'))
    return refused('it is over the size that a workspace takes per file', undefined)
  let now: Side | undefined
  try {
    now = taken?.has(path) ? taken.get(path) : await sideAt(places.project, path)
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return refused(thrown.message, undefined)
    throw thrown
  }
  const theirs = after && (await agentsSide(places.root, after))
  const next = theirs && withMode(theirs, before, now)
  if (isOf(before, now) || isOf(after, now)) return { path, kind, now, next, both: false }
  if (!before) return refused('the project got a file of that name since the copy', now, next)
  if (!now) return refused('it was removed from the project since the copy', now, next)
  if (!next) return refused('it changed in the project since the copy, and the agent removed it', now, next)
  return mergeBoth(places, one, before, now, next)
}

async function mergeBoth(
  { project, home, id }: MergePlaces,
  { path, kind }: Difference,
  before: Entry,
  now: Side,
  next: Side,
): Promise<Merged> {
  const isText = before.kind === 'file' && [now, next].every(({ mode }) => mode !== '120000')
  const original = isText && (await originalOf(project, home, before))
  const merged = original && (await threeWay(original, now.content, next.content, id))
  const changed = 'it changed in the project since the copy'
  if (!merged) return { path, kind, now, next, both: true, conflict: changed }
  const side = { ...next, content: merged.content }
  const places = `${merged.conflicts} ${merged.conflicts === 1 ? 'place' : 'places'}`
  const conflict = `${changed}, in ${places} that the agent changed too`
  return { path, kind, now, next: side, both: true, ...(merged.conflicts > 0 ? { conflict } : {}) }
}

export function changeOf({ path, kind, now, next, both, conflict }: Merged): Change {
  const diff = unifiedDiff(path, now, next)
  return { path, kind, ...diff, merged: both, ...(conflict === undefined ? {} : { conflict }) }
}

/** The executable bit is the agent's where it changed that, else the project's. */
function withMode(side: Side, before: Entry | undefined, now: Side | undefined): Side {
  const isKept = before && now && now.mode !== '120000' && side.mode !== '120000'
  return isKept && before.executable === (side.mode === '100755') ? { ...side, mode: now.mode } : side
}

async function agentsSide(root: string, after: Entry): Promise<Side> {
  const side = await sideAt(root, after.path)
  if (side && isOf(after, side)) return side
  throw new TwotrackError(
    'conflict',
    `"${after.path}" is being written in the workspace; nothing was accepted. Try again when its agent has stopped.`,
  )
}

/** Whether a content is the one that an entry stands for, and both are absent or of one kind. */
function isOf(entry: Entry | undefined, side: Side | undefined): boolean {
  if (!entry || !side) return !entry && !side
  return (entry.kind === 'link') === (side.mode === '120000') && sha256(side.content) === entry.sha256
}

export const isSameSide = (one: Side | undefined, other: Side | undefined): boolean =>
  one && other
    ? (one.mode === '120000') === (other.mode === '120000') &&
      Buffer.compare(one.content, other.content) === 0
    : !one && !other

export const entryOf = (path: string, { content, mode }: Side): Entry => ({
  path,
  kind: mode === '120000' ? 'link' : 'file',
  bytes: content.length,
  sha256: sha256(content),
  executable: mode === '100755',
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
  if (entry.kind === 'link') return { content: Buffer.from(await readlink(file)), mode: '120000' }
  return { content: await readRegular(file, path), mode: entry.executable ? '100755' : '100644' }
}
