import type { Tree } from './tree.ts'

/** One problem in a file. */
export interface Problem {
  readonly code: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A problem as an agent tells it: `fixable` means by a fix that passed every check. */
export interface Issue extends Problem {
  readonly fixable: boolean
}

/** Path, relative to the tree → what was found there. */
export type Problems = ReadonlyMap<string, readonly Problem[]>

/** One issue, to be fixed alone. */
export interface Wanted {
  readonly code: string
  readonly line: number
}

export interface FixOptions {
  /** Fix this one alone, also where the linter itself holds that fix for unsafe. One that can't be told where fixes all of the rule. */
  readonly only?: Wanted
  /** Fix all rules but these. */
  readonly without?: readonly string[]
}

/** The port to a linter. Throws when it can't run. Whatever starts a command makes the tree ready for it first. */
export interface Linter {
  /** With its version. */
  readonly name: string
  /** The file that configures it, or what stands for one. */
  readonly config: string
  /** It looks at all files, whichever it is given. */
  readonly whole?: boolean
  /** Whether its usual command looks at this file at all. */
  covers(path: string): boolean
  check(tree: Tree, paths: readonly string[]): Promise<Problems>
  /** Writes its safe fixes into the tree; a linter that only reports has none. */
  fix?(tree: Tree, paths: readonly string[], options: FixOptions): Promise<void>
}

/** The port to a formatter: writes the files of the tree as it would have them. */
export interface Formatter {
  readonly name: string
  readonly config: string
  write(tree: Tree, paths: readonly string[]): Promise<void>
}

export const byPlace = (one: Problem, other: Problem): number =>
  one.line - other.line || one.column - other.column || (one.code < other.code ? -1 : 1)

/** Problems that are in `found` and not in `known`. Lines move when a file is fixed, so they do not count. */
export function withoutThese<Found extends Problem>(
  found: readonly Found[],
  known: readonly Problem[],
): Found[] {
  const counts = new Map<string, number>()
  const keyOf = ({ code, message }: Problem) => `${code} ${message}`
  for (const one of known) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return found.filter((one) => {
    const count = counts.get(keyOf(one)) ?? 0
    counts.set(keyOf(one), count - 1)
    return count <= 0
  })
}
