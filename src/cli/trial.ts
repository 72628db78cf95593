import { randomUUID } from 'node:crypto'
import { loadAgents, runTestsOf } from '../agents/load.ts'
import { TwotrackError } from '../errors.ts'
import { isSourcePath } from '../nodes/source-path.ts'
import type { ToolContext } from '../tool/tool.ts'
import { wrapResult } from '../tool/wrap.ts'
import { projectTests } from '../trust/trust.ts'
import { createWorkspace } from '../workspace/workspace.ts'
import { count, paint, remark, safe } from './output.ts'
import type { Proposed } from './proposals.ts'
import { askYes } from './terminal.ts'
import { type TrustOptions, trustOf } from './trust.ts'

const TESTS_MS_MAX = 600_000

/** Whether the tests are to be run first: as it was said, or as the person at the terminal says. */
export async function wantsTests(said: boolean | undefined, isAsked: boolean): Promise<boolean> {
  if (said !== undefined || !isAsked || !process.stdin.isTTY || !process.stderr.isTTY) return said ?? false
  return askYes('Run the tests of these files first? [y/N] ')
}

/**
 * Runs the tests that belong to the changed files, in a copy of the project that has all these changes. True when none
 * failed; tests that can't be run count as failed.
 */
export async function passesTests(
  proposed: readonly Proposed[],
  { project, folder }: { readonly project: string; readonly folder: string },
  options: TrustOptions,
): Promise<boolean> {
  const { trusts, ask } = await trustOf(project, options)
  // The built-in one: what the project puts in its place may do something else.
  const agent = (await loadAgents({})).agents.get('test')
  if (!agent) throw new TwotrackError('missing', 'There is no agent "test" that could run tests.')
  await ask([projectTests])
  const { link } = agent.definition
  const workspace = await createWorkspace({ project, folder, id: `trial-${randomUUID()}`, link })
  try {
    const files = proposed.flatMap((one) => one.files).filter(({ conflict }) => conflict === undefined)
    for (const { path, next } of files)
      if (next && next.mode !== '120000') await workspace.write(path, next.content)
      else if (!next) await workspace.remove(path)
    const paths = [...new Set(files.filter(({ next }) => next).map(({ path }) => path))].filter(isSourcePath)
    remark(`Running the tests of ${count(paths.length, 'file')} with the changes.`)
    return await passes(paths, workspace.root, { project, trusts })
  } finally {
    await workspace.discard()
  }
}

async function passes(
  paths: readonly string[],
  workspace: string,
  about: Pick<ToolContext, 'project' | 'trusts'>,
): Promise<boolean> {
  const node = { id: paths[0] ?? '', type: 'file' }
  const signal = AbortSignal.timeout(TESTS_MS_MAX)
  const ran = runTestsOf(paths, { ...about, workspace, node, signal }).catch((thrown: unknown) => thrown)
  const { outcome, error, own } = wrapResult(await ran)
  const isGood = outcome === 'success'
  const mark = isGood ? paint('green', '✓') : paint('red', '✗')
  remark(`${mark} ${safe(error ?? own.summary ?? outcome)}`)
  return isGood
}
