import { formatPatch, type StructuredPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import { DIFF_EDITS_MAX } from '../limits.ts'
import { binaryPatch } from './binary-patch.ts'

/** A file before or after; a link's content is the path it leads to. */
export interface Side {
  readonly content: Uint8Array
  readonly mode: '100644' | '100755' | '120000'
}

export interface Diff {
  /** A patch that `git apply` takes. */
  readonly text: string
  readonly binary: boolean
  readonly lines_added: number
  readonly lines_removed: number
}

/** What turns one side into the other; undefined stands for a file that is not there. */
export function unifiedDiff(path: string, before: Side | undefined, after: Side | undefined): Diff {
  if (!before && !after) return { text: '', binary: false, lines_added: 0, lines_removed: 0 }
  if (before && after && isLink(before) !== isLink(after)) return replaced(path, before, after)
  const [from, to] = [textOf(before), textOf(after)]
  const binary = from === undefined || to === undefined
  const hunks = binary ? [] : hunksOf(from, to)
  const header = formatPatch({ ...patchOf(path, before, after), hunks })
  const marked = (mark: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0)
  return {
    text: binary ? header + binaryPatch(before?.content, after?.content) : header,
    binary,
    lines_added: marked('+'),
    lines_removed: marked('-'),
  }
}

const isLink = ({ mode }: Side): boolean => mode === '120000'

/** A file that becomes a link, or the other way round: git takes it as one that goes and one that comes. */
function replaced(path: string, before: Side, after: Side): Diff {
  const [old, fresh] = [unifiedDiff(path, before, undefined), unifiedDiff(path, undefined, after)]
  return {
    text: old.text + fresh.text,
    binary: old.binary || fresh.binary,
    lines_added: fresh.lines_added,
    lines_removed: old.lines_removed,
  }
}

function patchOf(path: string, before: Side | undefined, after: Side | undefined): StructuredPatch {
  const changed = before?.mode !== after?.mode
  return {
    isGit: true,
    oldFileName: nameOf('a', path, before),
    newFileName: nameOf('b', path, after),
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [],
    isCreate: !before,
    isDelete: !after,
    ...(before && changed ? { oldMode: before.mode } : {}),
    ...(after && changed ? { newMode: after.mode } : {}),
  }
}

const nameOf = (prefix: string, path: string, side: Side | undefined): string =>
  side ? `${prefix}/${path}` : '/dev/null'

/** What it is as text; undefined for what is no UTF-8 text. */
function textOf(side: Side | undefined): string | undefined {
  if (!side) return ''
  if (side.content.subarray(0, 8_000).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(side.content)
  } catch {
    return undefined
  }
}

/** The same of a file that a person can take apart or edit: no link. */
export const sideText = (side: Side): string | undefined => (isLink(side) ? undefined : textOf(side))

function hunksOf(from: string, to: string): StructuredPatchHunk[] {
  if (from === '' || to === '') return from === to ? [] : [replacement(from, to)]
  const options = { context: 3, maxEditLength: DIFF_EDITS_MAX }
  const minimal = structuredPatch('', '', from, to, undefined, undefined, options)
  return minimal?.hunks ?? [replacement(from, to)]
}

/** Contents with little in common, as one hunk: looking for the smallest would take too long. */
function replacement(from: string, to: string): StructuredPatchHunk {
  const [old, fresh] = [linesOf(from), linesOf(to)]
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [...marked('-', old, from), ...marked('+', fresh, to)],
  }
}

const linesOf = (text: string): string[] =>
  text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

const marked = (mark: string, lines: readonly string[], text: string): string[] => [
  ...lines.map((line) => mark + line),
  ...(text === '' || text.endsWith('\n') ? [] : ['\\ No newline at end of file']),
]
