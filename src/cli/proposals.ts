import { memorySettings, withStore } from '../app/context.ts'
import { agentsMeant, type WhichOptions } from '../app/names.ts'
import { type ProposalPlace, type Proposed, proposalsOf } from '../app/proposals.ts'
import type { CommonOptions } from './options.ts'
import { type CommandAnswer, remark, safe, self, typed } from './output.ts'

export interface ProposalOptions extends CommonOptions, WhichOptions {}

/** Calls `use` with where the logs are that a command is about, and with whose they are. */
export const withLogs = <T>(
  agents: readonly string[],
  options: ProposalOptions,
  use: (place: ProposalPlace, agents: readonly string[]) => Promise<T>,
): Promise<T> =>
  withStore(options, async (store, { config, root, folder }) => {
    const { secrets } = memorySettings(config, folder)
    const place = { store, project: root, folder, secrets }
    return use(place, await agentsMeant(store, agents, options))
  })

/** Calls `use` with what the agents propose. The exit code is 1 as well when somebody's log can't be looked at. */
export const withProposals = (
  agents: readonly string[],
  options: ProposalOptions,
  use: (proposed: Proposed[], place: ProposalPlace) => Promise<CommandAnswer>,
): Promise<CommandAnswer> =>
  withLogs(agents, options, async (place, meant) => {
    const found = await proposalsOf(meant, place)
    for (const { agent_id, proposed, problem } of found)
      if (problem !== undefined) tellProblem({ agent_id, problem })
      else if (!proposed && agents.length > 0) remark(`${safe(agent_id)} proposes no changes.`)
    const answer = await use(
      found.flatMap(({ proposed }) => proposed ?? []),
      place,
    )
    const isWhole = found.every(({ problem }) => problem === undefined)
    return isWhole ? answer : { ...answer, code: Math.max(answer.code ?? 0, 1) }
  })

/** An agent that is still at work, or whose records are damaged, is told of. */
export const tellProblem = ({ agent_id, problem }: { agent_id: string; problem: string }): void =>
  remark(`twotrack: ${safe(agent_id)}: ${safe(problem)}`)

/** Why a proposal is left out that nobody named. */
export function tellUnfinished({ name, unfinished }: Proposed): void {
  if (unfinished !== undefined)
    remark(
      `${safe(name)} is left out, it is unfinished (${unfinished}). See it: ${self} changes ${typed(name)} · go on: ${self} resume ${typed(name)} · take it all the same: ${self} accept ${typed(name)}`,
    )
}
