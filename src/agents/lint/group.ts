import { applyPatch, structuredPatch } from 'diff'
import { type Before, newProblem, type Refusal, refusalOf } from './judge.ts'
import {
  byPlace,
  type Formatter,
  type Issue,
  type Linter,
  type Problem,
  type Wanted,
  withoutThese,
} from './linter.ts'
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

interface Fixed {
  readonly text: string
  readonly left: readonly Problem[]
}

/** Fixes that fail a check are tried again without the rules that are to blame. */
const ROUNDS_MAX = 3

/** Lints files as they are in the tree and tries fixes there; what is in the tree afterwards is not told. */
export async function lintGroup(tree: Tree, group: Group, wanted?: Wanted): Promise<Linted[]> {
  const problems = await check(tree, group.linters, group.files)
  const befores = group.files.map((file) => ({ ...file, found: problems.get(file.path) ?? [] }))
  const faulty = befores.filter(({ found }) => found.length > 0)
  const { fixed, refused } = await fixes(tree, group, faulty, wanted)
  return befores.map(({ path, text, found }) => {
    const fix = fixed.get(path)
    const reason = refused.get(path)
    const gone = new Set(fix ? withoutThese(found, fix.left) : [])
    return {
      ...{ path, text, by: namesOf(group, path) },
      found: found.map((one) => ({ ...one, fixable: gone.has(one) })),
      ...(fix ? { fixed: fix } : {}),
      ...(reason === undefined ? {} : { refused: reason }),
    }
  })
}

function namesOf({ linters, formatter }: Group, path: string): string {
  const own = linters.filter((linter) => linter.covers(path))
  const layout = formatter && !own.some(({ name }) => name === formatter.name) ? [formatter] : []
  return own.length > 0
    ? [...own, ...layout].map(namedWith).join(', ')
    : "none: the project's own lint command leaves this file out"
}

export const namedWith = ({ name, config }: { readonly name: string; readonly config: string }): string =>
  `${name} (${config})`

async function fixes(tree: Tree, group: Group, faulty: readonly Before[], wanted?: Wanted) {
  const fixed = new Map<string, Fixed>()
  const refused = new Map<string, string>()
  const without = new Map<string, readonly string[]>()
  let open = faulty
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++) {
    const again: Before[] = []
    for (const [before, result] of await attempt(tree, group, open, without, wanted)) {
      const { path } = before
      if ('text' in result) fixed.set(path, result)
      if (!('reason' in result)) continue
      refused.set(path, result.reason)
      const known = without.get(path) ?? []
      const fresh = result.blamed.filter((code) => !known.includes(code))
      without.set(path, [...known, ...fresh])
      if (fresh.length > 0 && !wanted) again.push(before)
    }
    open = again
  }
  return { fixed, refused }
}

/** Tries the fixes of all files at once. A file without a result has nothing to fix. */
async function attempt(
  tree: Tree,
  { linters, formatter }: Group,
  befores: readonly Before[],
  without: ReadonlyMap<string, readonly string[]>,
  wanted?: Wanted,
): Promise<Map<Before, Fixed | Refusal>> {
  for (const { path, text } of befores) tree.write(path, text)
  for (const [codes, paths] of byCodes(befores, without))
    for (const linter of linters) {
      const own = paths.filter((path) => linter.covers(path))
      const options = wanted ? { only: wanted } : { without: codes }
      if (own.length > 0) await linter.fix?.(tree, own, options)
    }
  const texts = new Map<Before, string>()
  for (const before of befores) {
    const after = await tree.read(before.path)
    const text = wanted ? onlyAt(before.text, after, wanted.line) : after
    if (text !== before.text) texts.set(before, text)
  }
  const results = new Map<Before, Fixed | Refusal>()
  const refuse = (before: Before, refusal: Refusal | undefined) => {
    if (!refusal) return
    results.set(before, refusal)
    texts.delete(before)
  }
  if (formatter)
    for (const [before, formatted] of await format(tree, formatter, texts)) {
      if (typeof formatted === 'string') texts.set(before, formatted)
      else refuse(before, formatted)
    }
  for (const [before, text] of texts) refuse(before, await refusalOf(before, text))
  for (const before of befores) tree.write(before.path, texts.get(before) ?? before.text)
  const problems = await check(tree, linters, [...texts.keys()])
  for (const [before, text] of texts) {
    const left = problems.get(before.path) ?? []
    refuse(before, newProblem(before, text, left))
    if (texts.has(before) && left.length < before.found.length) results.set(before, { text, left })
  }
  return results
}

/** The fixed texts as the project's formatter would have them; those that it would leave alone are not told. */
async function format(tree: Tree, formatter: Formatter, texts: ReadonlyMap<Before, string>) {
  const formatted = await formattedTexts(tree, formatter, texts)
  const original = new Map([...formatted.keys()].map((before) => [before, before.text]))
  const unformatted = await formattedTexts(tree, formatter, original)
  return new Map<Before, string | Refusal>(
    [...formatted].map(([before, text]) => {
      const reason = `${formatter.name} would also change lines that have nothing to do with the fix; format the file first`
      return [before, unformatted.has(before) ? { reason, blamed: [] } : text]
    }),
  )
}

async function formattedTexts(tree: Tree, formatter: Formatter, texts: ReadonlyMap<Before, string>) {
  const changed = new Map<Before, string>()
  if (texts.size === 0) return changed
  for (const [{ path }, text] of texts) tree.write(path, text)
  await formatter.write(
    tree,
    [...texts.keys()].map(({ path }) => path),
  )
  for (const [before, text] of texts) {
    const after = await tree.read(before.path)
    if (after !== text) changed.set(before, after)
  }
  return changed
}

async function check(tree: Tree, linters: readonly Linter[], files: readonly { readonly path: string }[]) {
  const problems = new Map<string, Problem[]>()
  for (const linter of linters) {
    const paths = files.map(({ path }) => path).filter((path) => linter.covers(path))
    if (paths.length === 0) continue
    for (const [path, found] of await linter.check(tree, paths))
      problems.set(path, [...(problems.get(path) ?? []), ...found].sort(byPlace))
  }
  return problems
}

function byCodes(befores: readonly Before[], without: ReadonlyMap<string, readonly string[]>) {
  const groups = new Map<string, { codes: readonly string[]; paths: string[] }>()
  for (const { path } of befores) {
    const codes = [...(without.get(path) ?? [])].sort()
    const group = groups.get(codes.join()) ?? { codes, paths: [] }
    group.paths.push(path)
    groups.set(codes.join(), group)
  }
  return [...groups.values()].map(({ codes, paths }) => [codes, paths] as const)
}

/** Of all changes, those at one line. */
function onlyAt(before: string, after: string, line: number): string {
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, { context: 0 })
  const hunks = patch.hunks.filter(
    ({ oldStart, oldLines }) => line >= oldStart && line < oldStart + Math.max(oldLines, 1),
  )
  if (hunks.length === 0) return before
  const applied = applyPatch(before, { ...patch, hunks })
  return applied === false ? before : applied
}
