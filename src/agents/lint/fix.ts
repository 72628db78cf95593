import { applied } from './edits.ts'
import { type Before, newProblem, refusalOf } from './judge.ts'
import type { Formatter, Linter, LintProblem } from './linter.ts'
import type { Tree } from './tree.ts'

/** A file on its way to be fixed. */
export interface FixAttempt {
  readonly before: Before
  /** Fixes that are not taken: keys of problems, or codes where a linter fixes a rule as a whole. */
  readonly refused: Set<string>
  reason?: string
  fixed?: Fixed
}

export interface Fixed {
  readonly text: string
  readonly left: readonly LintProblem[]
}

interface Tools {
  readonly linters: readonly Linter[]
  readonly formatter: Formatter | undefined
}

type Check = (
  files: readonly { readonly path: string }[],
) => Promise<ReadonlyMap<string, readonly LintProblem[]>>

/** A fix can make room for another one; after this many rounds they are at odds with each other. */
const ROUNDS_MAX = 10
/** How often a linter that writes its fixes itself is run. */
const PASSES = 2

/** Tries the fixes of all files at once, and sets what came of it. Gives those to be tried again without some fixes. */
export async function attempt(
  tree: Tree,
  { linters, formatter }: Tools,
  open: readonly FixAttempt[],
  check: Check,
): Promise<FixAttempt[]> {
  for (const { before } of open) tree.write(before.path, before.text)
  await takeEdits(tree, linters, open, check)
  for (const linter of linters) await runFixes(tree, linter, open)
  const texts = new Map<FixAttempt, string>()
  for (const one of open) {
    const text = await tree.read(one.before.path)
    if (text !== one.before.text) texts.set(one, text)
  }
  if (formatter) await format(tree, formatter, texts)
  for (const [one, text] of texts) {
    const why = await refusalOf(one.before.path, one.before.text, text)
    if (why === undefined) continue
    one.reason = why
    texts.delete(one)
  }
  for (const one of open) tree.write(one.before.path, texts.get(one) ?? one.before.text)
  const problems = await check([...texts.keys()].map(({ before }) => before))
  const again: FixAttempt[] = []
  for (const [one, text] of texts) {
    const { before, refused } = one
    const left = problems.get(before.path) ?? []
    const fresh = newProblem(before, text, left)
    if (!fresh) {
      if (left.length < before.found.length) one.fixed = { text, left }
      continue
    }
    one.reason = fresh.reason
    const count = refused.size
    for (const problem of fresh.blamed)
      refused.add(problem.edits ? keyOf(problem, before.text) : problem.code)
    if (refused.size > count) again.push(one)
  }
  return again
}

/** Lines move when others are fixed, so a problem is known by what stands there. */
const keyOf = ({ code, message, line }: LintProblem, text: string): string =>
  `${code} ${message} ${text.split('\n')[line - 1]?.trim()}`

/** Takes the fixes that the linters told with the problems, until they have no more to tell. */
async function takeEdits(
  tree: Tree,
  linters: readonly Linter[],
  open: readonly FixAttempt[],
  check: Check,
): Promise<void> {
  const last = linters.flatMap((linter) => linter.last ?? [])
  let changed = open
  for (let round = 0; round < ROUNDS_MAX && changed.length > 0; round++) {
    const problems = await check(changed.map(({ before }) => before))
    const next: FixAttempt[] = []
    for (const one of changed) {
      const { path } = one.before
      const text = await tree.read(path)
      const usable = (problems.get(path) ?? []).filter(
        (problem) => problem.edits && problem.isSafe && !one.refused.has(keyOf(problem, text)),
      )
      const first = usable.filter(({ code }) => !last.includes(code))
      const fixed = await takeEach(one, text, first.length > 0 ? first : usable)
      if (fixed === text) continue
      tree.write(path, fixed)
      next.push(one)
    }
    changed = next
  }
}

/** All of them at once; where something speaks against that, each by itself, so that one keeps no other from being taken. */
async function takeEach(one: FixAttempt, text: string, chosen: readonly LintProblem[]): Promise<string> {
  const { path } = one.before
  const all = applied(text, chosen)
  if (all === text || (await refusalOf(path, text, all)) === undefined) return all
  const taken: LintProblem[] = []
  for (const problem of chosen) {
    const why = await refusalOf(path, text, applied(text, [problem]))
    if (why === undefined) taken.push(problem)
    else {
      one.reason = why
      one.refused.add(keyOf(problem, text))
    }
  }
  const some = applied(text, taken)
  return (await refusalOf(path, text, some)) === undefined ? some : text
}

/** Has a linter write its fixes; where something speaks against them, one rule after another. */
async function runFixes(tree: Tree, linter: Linter, open: readonly FixAttempt[]): Promise<void> {
  const own = open.filter(({ before }) => linter.covers(before.path))
  const { fix, fixRule, isUnchosen = false } = linter
  if (!fix) return
  const whole = own.filter(({ before, refused }) => !before.found.some(({ code }) => refused.has(code)))
  const refused = await written(tree, whole, async (paths) => {
    // What one pass leaves, such as the layout of what it changed, may be for the next.
    for (let pass = 0; pass < PASSES; pass++) await fix(tree, paths)
  })
  if (!fixRule || isUnchosen) return
  const byRule = own.filter((one) => refused.includes(one) || !whole.includes(one))
  for (const code of new Set(byRule.flatMap(({ before }) => before.found.map((one) => one.code)))) {
    const having = byRule.filter(
      ({ before, refused }) => !refused.has(code) && before.found.some((one) => one.code === code),
    )
    await written(tree, having, (paths) => fixRule(tree, paths, code))
  }
}

/** Lets something write files, and takes back what is refused; gives those. */
async function written(
  tree: Tree,
  open: readonly FixAttempt[],
  write: (paths: readonly string[]) => Promise<void>,
): Promise<FixAttempt[]> {
  if (open.length === 0) return []
  const texts = new Map<FixAttempt, string>()
  for (const one of open) texts.set(one, await tree.read(one.before.path))
  await write(open.map(({ before }) => before.path))
  const refused: FixAttempt[] = []
  for (const [one, text] of texts) {
    const { path } = one.before
    const after = await tree.read(path)
    const why = after === text ? undefined : await refusalOf(path, text, after)
    tree.write(path, why === undefined ? after : text)
    if (why === undefined) continue
    one.reason = why
    refused.push(one)
  }
  return refused
}

/** Lays the fixed texts out as the project's formatter would have them; what it never formatted it may not touch. */
async function format(tree: Tree, formatter: Formatter, texts: Map<FixAttempt, string>): Promise<void> {
  const formatted = await formattedTexts(tree, formatter, texts)
  const original = new Map([...formatted.keys()].map((one) => [one, one.before.text]))
  const unformatted = await formattedTexts(tree, formatter, original)
  for (const [one, text] of formatted) {
    if (!unformatted.has(one)) texts.set(one, text)
    else {
      one.reason = `${formatter.name} would also change lines that have nothing to do with the fix; format the file first`
      texts.delete(one)
    }
  }
}

async function formattedTexts(tree: Tree, formatter: Formatter, texts: ReadonlyMap<FixAttempt, string>) {
  const changed = new Map<FixAttempt, string>()
  if (texts.size === 0) return changed
  for (const [{ before }, text] of texts) tree.write(before.path, text)
  await formatter.write(
    tree,
    [...texts.keys()].map(({ before }) => before.path),
  )
  for (const [one, text] of texts) {
    const after = await tree.read(one.before.path)
    if (after !== text) changed.set(one, after)
  }
  return changed
}
