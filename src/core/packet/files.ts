import { isSamePath } from '../../text/paths.ts'
import type { FileChange } from '../event/delta.ts'
import { cap } from './caps.ts'
import type { At, FileText, Region, State } from './state.ts'

/** Brings what is known of files' text up to date: lines that were read, texts that were replaced. */
export function changeFiles(state: State, changes: readonly FileChange[], at: At): State {
  if (changes.length === 0) return state
  const files = new Map(Object.entries(state.files))
  for (const change of changes) {
    const path = knownPath(files, change.path)
    const before = files.get(path)
    // Deleting first keeps the order of last touch.
    files.delete(path)
    if (change.kind === 'remove' || (change.kind === 'touch' && !before)) continue
    const known = before?.regions ?? []
    const certain = change.kind === 'read' ? stillCertain(known, change, before?.stale !== undefined) : known
    const regions = changed(certain, change, at.seq)
    files.set(path, { path, ref: at.seq, turn: at.turn, regions, ...staleness(before, change, at) })
  }
  return { ...state, files: Object.fromEntries(files), changed: changedPaths(state, changes, at) }
}

function changedPaths(state: State, changes: readonly FileChange[], at: At): State['changed'] {
  let paths = state.changed
  for (const { kind, path } of changes) {
    if (kind === 'read') continue
    const known = paths.find(({ value }) => isSamePath(value, path))
    paths = paths.filter((one) => one !== known)
    if (kind !== 'remove') paths = [...paths, { value: known?.value ?? path, ref: at.seq, from: at.from }]
  }
  return paths.slice(-cap(state.settings, 'changed_files'))
}

/** A file is stale until it is read or written again. */
function staleness(before: FileText | undefined, { kind }: FileChange, { seq }: At): Pick<FileText, 'stale'> {
  if (kind === 'touch') return { stale: seq }
  const isPart = kind === 'edit' || kind === 'lines'
  return isPart && before?.stale !== undefined ? { stale: before.stale } : {}
}

/** One file may be written from different folders: `/repo/src/a.ts`, `src/a.ts`. */
function knownPath(files: ReadonlyMap<string, FileText>, path: string): string {
  if (files.has(path)) return path
  for (const known of files.keys()) if (isSamePath(known, path)) return known
  return path
}

function changed(regions: readonly Region[], change: FileChange, ref: number): readonly Region[] {
  switch (change.kind) {
    case 'read':
      return withRead(regions, { from: change.from, lines: change.text.split('\n'), ref })
    case 'write':
      return change.text === '' ? [] : [{ from: 1, lines: withoutLastBreak(change.text).split('\n'), ref }]
    case 'edit':
      return withEdit(regions, change, ref)
    case 'lines':
      return withLines(regions, change, ref)
    case 'touch':
      return regions
    case 'remove':
      return []
  }
}

const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

/**
 * What lines that were read now leave certain of what was known before. After a change that is not known, and where other
 * lines stand at the same numbers, lines farther down may have moved: only what agrees with the new ones stays, and, where
 * nothing else speaks of a change, what stands before them.
 */
function stillCertain(
  regions: readonly Region[],
  { from, text }: Extract<FileChange, { kind: 'read' }>,
  isStale: boolean,
): readonly Region[] {
  const lines = text.split('\n')
  const shared = (region: Region): (readonly [now: string, then: string | undefined])[] =>
    lines.flatMap((line, at) => {
      const index = from + at - region.from
      return index >= 0 && index < region.lines.length ? [[line, region.lines[index]] as const] : []
    })
  const agrees = (region: Region): boolean => shared(region).every(([now, then]) => now === then)
  const numbered = regions.filter((region) => region.from > 0)
  if (!isStale && numbered.every(agrees)) return regions
  return regions.flatMap((region) => {
    if (region.from === 0 || (shared(region).length > 0 && agrees(region))) return [region]
    const [[now, then] = []] = shared(region)
    // Where the first of the same lines differs, the change was farther up.
    const before = isStale || now !== then ? [] : region.lines.slice(0, Math.max(0, from - region.from))
    return before.length > 0 ? [{ from: region.from, ref: region.ref, lines: before }] : []
  })
}

/** What was read now replaces what was known of the same lines, and joins what stands next to it. */
function withRead(regions: readonly Region[], read: Region): readonly Region[] {
  const kept = regions.flatMap((region) => (region.from === 0 ? placed(region, read) : outside(region, read)))
  return joined([...kept, read])
}

/** A text whose place was not known is dropped once lines that hold it were read. */
const placed = (region: Region, read: Region): Region[] =>
  read.lines.join('\n').includes(region.lines.join('\n')) ? [] : [region]

/** The parts of a region before and after the lines that were read. */
function outside(region: Region, read: Region): Region[] {
  const end = region.from + region.lines.length
  const readEnd = read.from + read.lines.length
  if (end <= read.from || region.from >= readEnd) return [region]
  const before = region.lines.slice(0, Math.max(0, read.from - region.from))
  const after = region.lines.slice(Math.min(region.lines.length, Math.max(0, readEnd - region.from)))
  return [
    ...(before.length > 0 ? [{ from: region.from, lines: before, ref: region.ref }] : []),
    ...(after.length > 0 ? [{ from: readEnd, lines: after, ref: region.ref }] : []),
  ]
}

/** In the order of their lines, those that follow each other as one: where they are equally new, or in any case. */
function joined(regions: readonly Region[], isAlways = false): readonly Region[] {
  const sorted = [...regions].sort((a, b) => order(a) - order(b))
  const result: Region[] = []
  for (const region of sorted) {
    const last = result.at(-1)
    const follows = last && last.from > 0 && last.from + last.lines.length === region.from
    if (!follows || (last.ref !== region.ref && !isAlways)) result.push(region)
    else {
      const ref = Math.max(last.ref, region.ref)
      result[result.length - 1] = { from: last.from, ref, lines: [...last.lines, ...region.lines] }
    }
  }
  return result
}

const order = ({ from }: Region): number => (from === 0 ? Number.MAX_SAFE_INTEGER : from)

function withEdit(
  known: readonly Region[],
  { before, after, all = false, line }: Extract<FileChange, { kind: 'edit' }>,
  ref: number,
): readonly Region[] {
  if (line !== undefined) return withEditedLine(known, { before, after, all, line }, ref)
  const isIn = ({ lines }: Region): boolean => lines.join('\n').includes(before)
  // What was replaced may reach from one region into the next.
  const whole = known.some(isIn) ? known : joined(known, true)
  const regions = whole.some(isIn) ? whole : known
  const result: Region[] = []
  let shift = 0
  let found = false
  for (const region of regions) {
    const moved = region.from > 0 && shift !== 0 ? { ...region, from: region.from + shift } : region
    const text = region.lines.join('\n')
    const holds = before !== '' && (all || !found) && text.includes(before)
    if (!holds) {
      result.push(moved)
      continue
    }
    found = true
    const lines = (all ? text.replaceAll(before, () => after) : text.replace(before, () => after)).split('\n')
    result.push({ from: moved.from, lines, ref })
    shift += lines.length - region.lines.length
  }
  if (found || after.trim() === '') return result
  // The lines around it are not known: the new text stands by itself.
  return [...result, { from: 0, lines: withoutLastBreak(after).split('\n'), ref }]
}

/** A line is known only where a region holds it; an edit of another says nothing of the text. */
function withEditedLine(
  regions: readonly Region[],
  { before, after, all, line }: { before: string; after: string; all: boolean; line: number },
  ref: number,
): readonly Region[] {
  const old = regions.find(({ from, lines }) => from > 0 && from <= line && line < from + lines.length)
  const text = old?.lines[line - old.from] ?? ''
  if (!text.includes(before)) return regions
  const now = all ? text.replaceAll(before, () => after) : text.replace(before, () => after)
  return withLines(regions, { from: line, to: line, text: now }, ref)
}

/** Lines by their numbers: those after them move, and what is known to stand there now is known even by itself. */
function withLines(
  regions: readonly Region[],
  { from, to, text }: Pick<Extract<FileChange, { kind: 'lines' }>, 'from' | 'to' | 'text'>,
  ref: number,
): readonly Region[] {
  const added = text === null ? [] : text.split('\n')
  const moved = from + added.length
  let isPlaced = false
  const result = regions.flatMap((region): Region[] => {
    const { lines } = region
    const end = region.from + lines.length
    if (region.from === 0 || end < from) return [region]
    const before = lines.slice(0, Math.max(0, from - region.from))
    const after = lines.slice(Math.max(0, to + 1 - region.from))
    if (region.from <= from && to < end && !isPlaced) {
      isPlaced = true
      return [{ from: region.from, lines: [...before, ...added, ...after], ref }]
    }
    return [
      ...(before.length > 0 ? [{ ...region, lines: before }] : []),
      ...(after.length > 0
        ? [{ ...region, from: Math.max(moved, region.from + moved - to - 1), lines: after }]
        : []),
    ]
  })
  return isPlaced || added.length === 0
    ? result
    : [...result, { from, lines: added, ref }].sort((a, b) => order(a) - order(b))
}
