import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { loadAgents, runTestsOf } from '../agents/load.ts'
import { TwotrackError } from '../errors.ts'
import { openHub } from '../hub/open.ts'
import { isSourcePath } from '../nodes/source-path.ts'
import type { ToolContext } from '../tool/tool.ts'
import { wrapResult } from '../tool/wrap.ts'
import { projectTests } from '../trust/trust.ts'
import type { Merged } from '../workspace/merged.ts'
import { createWorkspace } from '../workspace/workspace.ts'
import type { Front } from './front.ts'
import { type TrustOptions, trustOf } from './trust.ts'

const TESTS_MS_MAX = 600_000

/** How the tests went; those that can't be run count as failed. */
export interface Trial {
  readonly passed: boolean
  readonly summary: string
  /** Of the tests that fail, those that fail without the changes too. */
  readonly failing_before: readonly string[]
}

/** Runs the tests that belong to the changed files, in a copy of the project that has all these changes. */
export async function tryTests(
  proposed: readonly Merged[],
  { project, folder }: { readonly project: string; readonly folder: string },
  options: TrustOptions,
  front: Front,
): Promise<Trial> {
  const { trusts, ask } = await trustOf(project, options, front)
  // The built-in one: what the project puts in its place may do something else.
  const agent = (await loadAgents({ only: 'test' })).agents.get('test')
  if (!agent) throw new TwotrackError('missing', 'There is no agent "test" that could run tests.')
  await ask([projectTests])
  const { link } = agent.definition
  const files = proposed.filter(({ conflict }) => conflict === undefined)
  const paths = [...new Set(files.filter(({ next }) => next).map(({ path }) => path))].filter(isSourcePath)
  const hub = openHub({ project, folder })
  const tried = async (changes: readonly Merged[]): Promise<Outcome> => {
    const workspace = await createWorkspace({ project, folder, id: `trial-${randomUUID()}`, link })
    try {
      for (const { path, next } of changes)
        if (next && next.mode !== '120000') await workspace.write(path, next.content)
        else if (!next) await workspace.remove(path)
      const code = () => hub.at(workspace.root).graph()
      return await outcomeOf(paths, workspace.root, { project, trusts, code })
    } finally {
      await workspace.discard()
    }
  }
  try {
    front.note(`Running the tests of ${paths.length} file${paths.length === 1 ? '' : 's'} with the changes.`)
    const { failures, ...trial } = await tried(files)
    // Whose fault a failure is, only the same tests without the changes can tell.
    const before = failures.size === 0 ? failures : (await tried([])).failures
    return { ...trial, failing_before: [...failures].filter((one) => before.has(one)) }
  } finally {
    await hub.close()
  }
}

interface Outcome {
  readonly passed: boolean
  readonly summary: string
  /** By file and name: a change moves lines. */
  readonly failures: ReadonlySet<string>
}

async function outcomeOf(
  paths: readonly string[],
  workspace: string,
  about: Pick<ToolContext, 'project' | 'trusts' | 'code'>,
): Promise<Outcome> {
  const node = { id: paths[0] ?? '', type: 'file' }
  const signal = AbortSignal.timeout(TESTS_MS_MAX)
  const ran = runTestsOf(paths, { ...about, workspace, node, signal }).catch((thrown: unknown) => thrown)
  const { outcome, error, own, output } = wrapResult(await ran)
  return {
    passed: outcome === 'success',
    summary: error ?? own?.summary ?? outcome,
    failures: new Set(
      failedSchema.safeParse(output).data?.failures.map(({ path, test }) => [path, test].join(' ')),
    ),
  }
}

const failedSchema = z.object({
  failures: z.array(z.object({ path: z.string().default(''), test: z.string().default('') })),
})
