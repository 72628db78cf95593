import { type StructuredPatchHunk, structuredPatch } from 'diff'
import { commentsOf } from '../../nodes/parse.ts'
import { type Problem, withoutThese } from './linter.ts'

/** Why a fix is not proposed, and the rules whose fixes are to blame, as far as they are known. */
export interface Refusal {
  readonly reason: string
  readonly blamed: readonly string[]
}

/** A file before a fix and what was found in it. */
export interface Before {
  readonly path: string
  readonly text: string
  readonly found: readonly Problem[]
}

/** Comments that only speak to a linter: one that is not needed any more may go. */
const DIRECTIVE = /^(?:#\s*noqa\b|(?:\/\/|\/\*)\s*(?:eslint|biome|oxlint)-(?:disable|enable|ignore))/

/** What speaks against a fixed text, whatever a linter says of it. */
export async function refusalOf(before: Before, after: string): Promise<Refusal | undefined> {
  const { path, text } = before
  const [old, fresh] = [await commentsOf(path, text), await commentsOf(path, after)]
  if (old && !fresh) return { reason: 'the fixed file would not parse', blamed: codesAt(before, after) }
  const lost = old && fresh ? firstLost(old, fresh) : undefined
  if (lost !== undefined) {
    const shown = lost.split('\n')[0]?.slice(0, 80)
    const blamed = codesAt(before, after, ({ lines }) =>
      lines.some((line) => line.startsWith('-') && line.includes(lost.split('\n')[0] ?? '')),
    )
    return { reason: `the fix would change or remove a comment: ${shown}`, blamed }
  }
  if (text.includes('\r\n') !== after.includes('\r\n') || hasMark(text) !== hasMark(after))
    return { reason: 'the fix would change the line endings or the byte order mark', blamed: [] }
  return undefined
}

/** What speaks against it once the linter has looked at it again. */
export function newProblem(before: Before, after: string, left: readonly Problem[]): Refusal | undefined {
  const [first] = withoutThese(left, before.found)
  if (!first) return undefined
  const { code, message, line } = first
  const blamed = codesAt(
    before,
    after,
    ({ newStart, newLines }) => line >= newStart && line < newStart + newLines,
  )
  return { reason: `after the fix the linter reports something new: ${code} ${message}`, blamed }
}

const hasMark = (text: string): boolean => text.startsWith('\uFEFF')

function firstLost(old: readonly string[], fresh: readonly string[]): string | undefined {
  let at = 0
  for (const comment of old) {
    const found = fresh.indexOf(comment, at)
    if (found !== -1) at = found + 1
    else if (!DIRECTIVE.test(comment)) return comment
  }
  return undefined
}

const hunksOf = (before: string, after: string): StructuredPatchHunk[] =>
  structuredPatch('a', 'b', before, after, undefined, undefined, { context: 0 }).hunks

/** The rules that found something where a fix changed the file. */
function codesAt(
  { text, found }: Before,
  after: string,
  isMeant: (hunk: StructuredPatchHunk) => boolean = () => true,
): string[] {
  const hunks = hunksOf(text, after).filter(isMeant)
  const isAt = ({ line }: Problem) =>
    hunks.some(({ oldStart, oldLines }) => line >= oldStart - 1 && line <= oldStart + oldLines)
  return [...new Set(found.filter(isAt).map(({ code }) => code))]
}
