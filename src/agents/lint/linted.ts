import { defined } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { utf8Text } from '../../nodes/node-file.ts'
import { languageNameOf, nodePath } from '../../nodes/source-path.ts'
import { filesOf, type SharedRun, type ToolContext } from '../../tool/tool.ts'
import { perRun } from '../per-run.ts'
import { LEFT_OUT, type Linted, type SourceFile } from './group.ts'
import type { Where } from './programs.ts'
import { LintSession, type NotLinted } from './session.ts'

/** What is known of the files of a run: the linter has looked at all of them at once. */
interface SharedLint {
  readonly session: LintSession
  readonly known: Map<string, Linted | NotLinted>
}

/** What the project's tools say of the agent's file as it is now in its workspace. Throws when they can't run. */
export async function lintedFile(context: ToolContext): Promise<Linted> {
  const file = await fileOf(context)
  const { session, known } = await lintOf(context)
  const before = known.get(file.path)
  if (before?.text === file.text) return orThrow(before)
  // After the fixes were taken nothing has to run again: it ran before they were proposed.
  if (before && 'fixed' in before && before.fixed?.text === file.text)
    return { ...file, by: before.by, found: before.fixed.left.map((one) => ({ ...one, fixable: false })) }
  const [linted] = await session.lint([file])
  if (linted) known.set(file.path, linted)
  return orThrow(linted)
}

async function fileOf(context: ToolContext): Promise<SourceFile> {
  const path = nodePath(context.node.id)
  if (languageNameOf(path) === null)
    throw new TwotrackError('bad_argument', `${path} is no Python, TypeScript or JavaScript file.`)
  return { path, text: utf8Text(path, await filesOf(context).read(path)) }
}

const lintOf = perRun(async (context): Promise<SharedLint> => {
  const { shared, signal, trusts } = context
  const project = context.project ?? (await filesOf(context).complete())
  const where = { project, signal: shared?.signal ?? signal, ...defined({ trusts, checks: shared?.checks }) }
  if (shared) return lintAll(shared, where)
  return { session: new LintSession(where, await filesOf(context).complete()), known: new Map() }
})

async function lintAll(shared: SharedRun, where: Where): Promise<SharedLint> {
  const session = new LintSession(where, await shared.tree())
  const sources = shared.paths.filter((path) => languageNameOf(path) !== null)
  const all = await session.lint(sources.map((path) => ({ path })))
  const looked = Map.groupBy(all, (one) => ('by' in one ? one.by : undefined))
  for (const [by, files] of looked)
    if (by === LEFT_OUT) shared.tell(`Left out by the project's own lint command: ${namesOf(files)}.`)
    else if (by !== undefined) shared.tell(`Linted with ${by}.`)
  for (const name of session.absent) shared.tell(`Not checked with ${name}: it is not installed here.`)
  return { session, known: new Map(all.map((one) => [one.path, one])) }
}

/** Files that are told of by name; of more there is the count. */
const NAMED_MAX = 3

const namesOf = (files: readonly { readonly path: string }[]): string => {
  const more = files.length - NAMED_MAX
  return [...files.slice(0, NAMED_MAX).map(({ path }) => path), ...(more > 0 ? [`${more} more`] : [])].join(
    ', ',
  )
}

function orThrow(linted: Linted | NotLinted | undefined): Linted {
  if (linted && !('failed' in linted)) return linted
  throw linted?.failed ?? new TwotrackError('bad_config', 'The linter gave no result.')
}
