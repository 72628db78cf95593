import { type AcceptReport, acceptProposal, rejectProposal } from '../run/accept.ts'
import type { Taking } from '../workspace/accept.ts'
import type { Front } from './front.ts'
import { type MergedProposal, mergeAll, orProblem, type ProposalPlace, type Proposed } from './proposals.ts'
import { type Trial, tryTests } from './trial.ts'
import type { TrustOptions } from './trust.ts'

/** An agent that somebody decided about. */
interface Decided {
  readonly agent_id: string
  readonly name: string
}

/** What a decision about several agents came to. */
export interface Decisions<One> {
  readonly done: readonly (One & Decided)[]
  /** Agents whose log could not be written: they are at work, or it is damaged. */
  readonly problems: readonly (Decided & { readonly problem: string })[]
}

/** The same of taking, and how the tests went where they were asked for. */
export interface Acceptance extends Decisions<AcceptReport> {
  readonly trial?: Trial
}

/** What can be taken together: all but what is unfinished, unless it was named. */
export const takeable = <T extends Proposed>(proposed: readonly T[], named: boolean): T[] =>
  proposed.filter(({ unfinished }) => named || unfinished === undefined)

/**
 * Takes what agents propose into the project, one after the other. With `test` the tests of these files run first, with all
 * changes; where they do not pass nothing is taken.
 */
export async function acceptAll(
  proposed: readonly Proposed[],
  place: ProposalPlace,
  { partial = false, test = false, ...trust }: TrustOptions & { partial?: boolean; test?: boolean },
  front: Front,
): Promise<Acceptance> {
  if (!test || proposed.length === 0)
    return decideAll(proposed, ({ log }) => acceptProposal(log, { ...log, partial }))
  const merged = await mergeAll(proposed)
  const trial = await tryTests(
    merged.flatMap(({ files }) => files),
    place,
    trust,
    front,
  )
  if (!trial.passed) return { done: [], problems: [], trial }
  // What was tested is taken as it was.
  const take = ({ log, files }: MergedProposal) => acceptProposal(log, { ...log, partial, files })
  return { ...(await decideAll(merged, take)), trial }
}

/** Throws away what agents propose. */
export const rejectAll = (
  proposed: readonly Proposed[],
  reason: string,
): Promise<Decisions<{ readonly files: readonly string[] }>> =>
  decideAll(proposed, async ({ log }) => ({ files: await rejectProposal(log, { reason }) }))

/** Takes one file as a person made it, or throws it away; or says why neither can be done now. */
export const decideFile = (
  { log }: Proposed,
  path: string,
  decision: Taking | 'rejected',
): Promise<{ readonly value: AcceptReport } | { readonly problem: string }> =>
  orProblem(
    decision === 'rejected'
      ? rejectProposal(log, { paths: [path], reason: 'reviewed' }).then(() => ({
          accepted: [],
          conflicts: [],
        }))
      : acceptProposal(log, { ...log, files: [decision] }),
  )

async function decideAll<From extends Proposed, One>(
  proposed: readonly From[],
  decide: (one: From) => Promise<One>,
): Promise<Decisions<One>> {
  const done: (One & Decided)[] = []
  const problems: (Decided & { problem: string })[] = []
  for (const one of proposed) {
    const { agent_id, name } = one
    const found = await orProblem(decide(one))
    if ('problem' in found) problems.push({ agent_id, name, ...found })
    else done.push({ agent_id, name, ...found.value })
  }
  return { done, problems }
}
