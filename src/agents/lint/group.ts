import { attempt, type FixAttempt, type Fixed } from './fix.ts'
import type { Formatter, Issue, Linter, LintProblem } from './linter.ts'
import { byPlace, withoutThese } from './linter.ts'
import type { Tree } from './tree.ts'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Files that the same tools decide over. */
export interface Group {
  readonly linters: readonly Linter[]
  readonly formatter: Formatter | undefined
  readonly files: readonly SourceFile[]
}

/** What the project's tools say of a file. */
export interface Linted extends SourceFile {
  readonly found: readonly Issue[]
  /** The file with every fix that passed all checks, and what is found in it then. */
  readonly fixed?: Fixed
  /** Why other fixes are not proposed. */
  readonly refused?: string
  /** What looked at it, with versions and configurations. */
  readonly by: string
}

/** What looked at a file that the project does not have linted. */
export const LEFT_OUT = "none: the project's own lint command leaves this file out"

/** Fixes that bring a new problem are tried again without those that are to blame. */
const ROUNDS_MAX = 3

/** Lints files as they are in the tree and tries fixes there; what is in the tree afterwards is not told. */
export async function lintGroup(tree: Tree, group: Group): Promise<Linted[]> {
  const check = checkOf(tree, group.linters)
  const problems = await check(group.files)
  const befores = group.files.map((file) => ({ ...file, found: problems.get(file.path) ?? [] }))
  const attempts = befores.map((before): FixAttempt => ({ before, refused: new Set() }))
  let open = attempts.filter(({ before }) => before.found.length > 0)
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++)
    open = await attempt(tree, group, open, check)
  return attempts.map(({ before: { path, text, found }, fixed, reason }) => {
    const gone = new Set(fixed ? withoutThese(found, fixed.left) : [])
    return {
      ...{ path, text, by: namesOf(group, path) },
      found: found.map((one) => {
        const { edits: _, isSafe: __, ...told } = one
        return { ...told, fixable: gone.has(one) }
      }),
      ...(fixed ? { fixed } : {}),
      ...(reason === undefined ? {} : { refused: reason }),
    }
  })
}

function namesOf({ linters, formatter }: Group, path: string): string {
  const own = linters.filter((linter) => linter.covers(path))
  const layout = formatter && !own.some(({ name }) => name === formatter.name) ? [formatter] : []
  return own.length > 0 ? [...own, ...layout].map(namedWith).join(', ') : LEFT_OUT
}

const namedWith = ({ name, config }: { readonly name: string; readonly config: string }): string =>
  `${name} (${config})`

/** Asks all linters of a group about files as they are in the tree; a text that they have seen is not shown again. */
function checkOf(tree: Tree, linters: readonly Linter[]) {
  const seen = new Map<string, { readonly text: string; readonly found: readonly LintProblem[] }[]>()
  return async (
    files: readonly { readonly path: string }[],
  ): Promise<Map<string, readonly LintProblem[]>> => {
    const texts = new Map<string, string>()
    for (const { path } of files) texts.set(path, await tree.read(path))
    const knownOf = (path: string) => seen.get(path)?.find(({ text }) => text === texts.get(path))
    const fresh = [...texts.keys()].filter((path) => !knownOf(path))
    const found = new Map<string, LintProblem[]>(fresh.map((path) => [path, []]))
    for (const linter of linters) {
      const paths = fresh.filter((path) => linter.covers(path))
      if (paths.length === 0) continue
      for (const [path, problems] of await linter.check(tree, paths)) found.get(path)?.push(...problems)
    }
    for (const [path, problems] of found)
      seen.set(path, [
        ...(seen.get(path) ?? []),
        { text: texts.get(path) ?? '', found: problems.sort(byPlace) },
      ])
    return new Map([...texts.keys()].map((path) => [path, knownOf(path)?.found ?? []]))
  }
}
