import type { Tree } from './tree.ts'

/** Row and column count from 1. */
export interface RowColumn {
  readonly row: number
  readonly column: number
}

/** One part of a fix: what stands there instead. A number is an offset in UTF-16 units. */
export interface Edit {
  readonly from: RowColumn | number
  readonly to: RowColumn | number
  readonly content: string
}

export interface LintProblem {
  readonly code: string
  readonly line: number
  readonly column: number
  readonly message: string
  /** The linter reports it and does not fail because of it. */
  readonly isWarning?: true
  /** Its fix, where the linter tells it, and whether the linter holds it for safe. */
  readonly edits?: readonly Edit[]
  readonly isSafe?: boolean
}

/** A problem as an agent tells it: `fixable` means by a fix that passed every check. */
export interface Issue extends Omit<LintProblem, 'edits' | 'isSafe'> {
  readonly fixable: boolean
}

/** Path, relative to the tree → what was found there. */
export type LintProblems = ReadonlyMap<string, readonly LintProblem[]>

/** The port to a linter. Throws when it can't run. Whatever starts a command makes the tree ready for it first. */
export interface Linter {
  /** With its version. */
  readonly name: string
  /** The file that configures it, or what stands for one. */
  readonly config: string
  /** Nobody chose its rules: only its few safe fixes are tried. */
  readonly isUnchosen?: boolean
  /** A rule whose fix waits until nothing else is to be fixed. */
  readonly last?: string | undefined
  /** Whether its usual command looks at this file at all. */
  covers(path: string): boolean
  check(tree: Tree, paths: readonly string[]): Promise<LintProblems>
  /** Writes its safe fixes into the tree; one that tells its fixes with the problems, or only reports, has none. */
  fix?(tree: Tree, paths: readonly string[]): Promise<void>
  fixRule?(tree: Tree, paths: readonly string[], code: string): Promise<void>
}

/** The port to a formatter: writes the files of the tree as it would have them. */
export interface Formatter {
  readonly name: string
  readonly config: string
  write(tree: Tree, paths: readonly string[]): Promise<void>
}

export const byPlace = (one: LintProblem, other: LintProblem): number =>
  one.line - other.line || one.column - other.column || (one.code < other.code ? -1 : 1)

type Named = Pick<LintProblem, 'code' | 'message'>

/** Those of `found` that are not in `known`. Lines move when a file is fixed, so they do not count. */
export function withoutThese<Found extends Named>(found: readonly Found[], known: readonly Named[]): Found[] {
  const counts = new Map<string, number>()
  const keyOf = ({ code, message }: Named) => `${code} ${message}`
  for (const one of known) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return found.filter((one) => {
    const count = counts.get(keyOf(one)) ?? 0
    counts.set(keyOf(one), count - 1)
    return count <= 0
  })
}
