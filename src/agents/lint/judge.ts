import { structuredPatch } from 'diff'
import { commentsOf } from '../../nodes/parse.ts'
import { type LintProblem, withoutThese } from './linter.ts'

/** A file before a fix and what was found in it. */
export interface Before {
  readonly path: string
  readonly text: string
  readonly found: readonly LintProblem[]
}

/** Comments that only speak to a linter: one that is not needed any more may go. */
const DIRECTIVE = /^(?:#\s*noqa\b|(?:\/\/|\/\*)\s*(?:eslint|biome|oxlint)-(?:disable|enable|ignore))/

/** What speaks against a fixed text, whatever a linter says of it. */
export async function refusalOf(path: string, text: string, after: string): Promise<string | undefined> {
  const [old, fresh] = [await commentsOf(path, text), await commentsOf(path, after)]
  if (old && !fresh) return 'the fixed file would not parse'
  const lost = old && fresh ? firstLost(old, fresh) : undefined
  if (lost !== undefined)
    return `the fix would change or remove a comment: ${lost.split('\n')[0]?.slice(0, 80)}`
  if (text.includes('\r\n') !== after.includes('\r\n') || hasMark(text) !== hasMark(after))
    return 'the fix would change the line endings or the byte order mark'
  return undefined
}

/** What speaks against it once the linter has looked at it again, and the problems whose fixes are to blame. */
export function newProblem(
  { text, found }: Before,
  after: string,
  left: readonly LintProblem[],
): { readonly reason: string; readonly blamed: readonly LintProblem[] } | undefined {
  const [first] = withoutThese(left, found)
  if (!first) return undefined
  const { code, message, line } = first
  const hunks = structuredPatch('a', 'b', text, after, undefined, undefined, { context: 0 }).hunks.filter(
    ({ newStart, newLines }) => line >= newStart && line < newStart + Math.max(newLines, 1),
  )
  const blamed = found.filter(({ line }) =>
    hunks.some(({ oldStart, oldLines }) => line >= oldStart - 1 && line <= oldStart + oldLines),
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
