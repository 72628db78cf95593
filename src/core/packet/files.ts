import { isSamePath } from '../../text/paths.ts'
import type { FileChange } from '../event/delta.ts'
import { cap } from './caps.ts'
import type { At, ChangedFile, FileText, Region, State } from './state.ts'

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
  return { ...state, files: Object.fromEntries(files), changed: changedFiles(state, changes, at) }
}

/** Names, and remarks on changes, of one file. */
const NAMES_MAX = 12
const REMARKS_MAX = 6

function changedFiles(state: State, changes: readonly FileChange[], at: At): State['changed'] {
  let changed = state.changed
  for (const change of changes) {
    if (change.kind === 'read') continue
    const known = changed.find(({ value }) => isSamePath(value, change.path))
    changed = changed.filter((one) => one !== known)
    // What the run made and took away again is as if it had never been.
    if (change.kind !== 'remove' || !known) changed = [...changed, changedBy(known, change, at)]
  }
  return changed.slice(-cap(state.settings, 'changed_files'))
}

function changedBy(
  known: ChangedFile | undefined,
  change: Exclude<FileChange, { kind: 'read' }>,
  { seq, from }: At,
): ChangedFile {
  const { names = [], said } = change.kind === 'remove' ? {} : change
  const isRestored = change.kind === 'touch' && change.restored === true
  const fate = isRestored ? 'restored' : change.kind === 'remove' ? 'deleted' : null
  const [added, removed] = linesOfChange(change)
  const counted = fate ? undefined : known
  const before = (known?.said ?? []).filter(({ value }) => value !== said)
  return {
    value: known?.value ?? change.path,
    ref: seq,
    from,
    added: (counted?.added ?? 0) + added,
    removed: (counted?.removed ?? 0) + removed,
    names: [...new Set([...names, ...(counted?.names ?? [])])].slice(0, NAMES_MAX),
    fate,
    said: said === undefined ? before : [...before, { value: said, ref: seq, from }].slice(-REMARKS_MAX),
  }
}

/** How many lines a change adds and takes away, as far as it says so. */
function linesOfChange(change: FileChange): readonly [added: number, removed: number] {
  const linesIn = (text: string): number => (text === '' ? 0 : withoutLastBreak(text).split('\n').length)
  switch (change.kind) {
    case 'edit': {
      const [old, now] = [change.before.split('\n'), change.after.split('\n')]
      const { head, tail } = sameEnds(old, now)
      return [now.length - head - tail, old.length - head - tail]
    }
    case 'lines':
      return [linesIn(change.text ?? ''), Math.max(0, change.to - change.from + 1)]
    case 'write':
      return [linesIn(change.text), 0]
    default:
      return [0, 0]
  }
}

/** A file is stale until it is read or written again. */
function staleness(before: FileText | undefined, change: FileChange, { seq }: At): Pick<FileText, 'stale'> {
  // Of one that is as it was nothing is known to be wrong: what was known of its text went.
  if (change.kind === 'touch') return change.restored ? {} : { stale: seq }
  const isPart = change.kind === 'edit' || change.kind === 'lines'
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
      return change.restored ? [] : regions
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

/** In the order of their lines; those that follow each other as one where the same event wrote them. */
function joined(regions: readonly Region[]): readonly Region[] {
  const result: Region[] = []
  for (const region of regions.toSorted((a, b) => order(a) - order(b))) {
    const last = result.at(-1)
    if (last && follows(last, region) && last.ref === region.ref)
      result[result.length - 1] = { ...last, lines: [...last.lines, ...region.lines] }
    else result.push(region)
  }
  return result
}

const follows = (before: Region, { from }: Region): boolean =>
  before.from > 0 && before.from + before.lines.length === from

const order = ({ from }: Region): number => (from === 0 ? Number.MAX_SAFE_INTEGER : from)

/** Regions that stand together without a gap, whichever events wrote them. */
export function runsOf(regions: readonly Region[]): Region[][] {
  const runs: Region[][] = []
  for (const region of regions) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run && last && follows(last, region)) run.push(region)
    else runs.push([region])
  }
  return runs
}

/** Where a text stands in regions that follow each other. */
interface Place {
  readonly run: readonly Region[]
  readonly text: string
  readonly at: number
}

function withEdit(
  known: readonly Region[],
  { before, after, all = false, line }: Extract<FileChange, { kind: 'edit' }>,
  ref: number,
): readonly Region[] {
  if (line !== undefined) return withEditedLine(known, { before, after, all, line }, ref)
  const found: Place[] = []
  // What was replaced may reach from one region into the next.
  for (const run of before === '' ? [] : runsOf(known)) {
    const text = run.flatMap(({ lines }) => lines).join('\n')
    for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, at + before.length)) {
      if (all || found.length === 0) found.push({ run, text, at })
      if (!all) break
    }
  }
  let regions = known
  // From the last to the first: numbers of lines above a change stay as they are.
  for (const place of found.reverse()) regions = replaced(regions, place, { before, after }, ref)
  if (found.length > 0 || after.trim() === '') return regions
  // The lines around it are not known: the new text stands by itself.
  return [...known, { from: 0, lines: withoutLastBreak(after).split('\n'), ref }]
}

/** One place of a run, from `at` on, with another text; `text` is that of the whole run. */
function replaced(
  regions: readonly Region[],
  { run, text, at }: Place,
  { before, after }: Pick<Extract<FileChange, { kind: 'edit' }>, 'before' | 'after'>,
  ref: number,
): readonly Region[] {
  const end = at + before.length
  const head = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  const tail = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end)
  const old = text.slice(head, tail).split('\n')
  const now = (text.slice(head, at) + after + text.slice(end, tail)).split('\n')
  const same = sameEnds(old, now)
  const lines = now.slice(same.head, now.length - same.tail)
  const above = text.slice(0, head).split('\n').length - 1 + same.head
  const gone = old.length - same.head - same.tail
  const [first] = run
  if (first?.from === 0) {
    const whole = [...first.lines.slice(0, above), ...lines, ...first.lines.slice(above + gone)]
    return regions.map((region) => (region === first ? { from: 0, lines: whole, ref } : region))
  }
  const from = (first?.from ?? 1) + above
  return withLines(
    regions,
    { from, to: from + gone - 1, text: lines.length === 0 ? null : lines.join('\n') },
    ref,
  )
}

/** How many lines two texts share at either end. */
export function sameEnds(
  old: readonly string[],
  now: readonly string[],
): { readonly head: number; readonly tail: number } {
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  return { head, tail }
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
  const kept = regions.flatMap((region): Region[] => {
    const { lines } = region
    const end = region.from + lines.length
    if (region.from === 0 || end <= from) return [region]
    const before = lines.slice(0, Math.max(0, from - region.from))
    const after = lines.slice(Math.max(0, to + 1 - region.from))
    const moved = Math.max(region.from, to + 1) + from + added.length - to - 1
    return [
      ...(before.length > 0 ? [{ ...region, lines: before }] : []),
      ...(after.length > 0 ? [{ ...region, from: moved, lines: after }] : []),
    ]
  })
  return joined(added.length === 0 ? kept : [...kept, { from, lines: added, ref }])
}
