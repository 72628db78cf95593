import type { Event } from '../core/event/event.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import type { MemoryOptions } from '../memory.ts'
import { unfinished as unfinishedOf } from '../run/agent-summary.ts'
import { readProposal } from '../run/proposal.ts'
import { settle } from '../run/propose.ts'
import { type ContentPlace, Contents } from '../workspace/contents.ts'
import type { Side } from '../workspace/diff.ts'
import { isSameFile, type Merged, merge, type ProjectLog } from '../workspace/merged.ts'
import { type EventPatch, patchOf } from '../workspace/patch.ts'
import type { Pending } from '../workspace/proposal.ts'
import { shortNames } from './names.ts'

/** Where logs are, and the project that they are about. */
export interface ProposalPlace extends Pick<MemoryOptions, 'secrets'> {
  readonly store: Store
  readonly project: string
  readonly folder: string
}

/** What an agent proposes to change. */
export interface Proposed {
  readonly agent_id: string
  /** What a person types for it. */
  readonly name: string
  readonly log: ProjectLog & Pick<MemoryOptions, 'secrets'>
  /** Why its work is not whole. */
  readonly unfinished?: string
  readonly pending: Pending
}

/** The same, each file merged with the project as it is and with what the agents before it propose. */
export interface MergedProposal extends Proposed {
  readonly files: readonly Merged[]
}

/** What one agent proposes, if anything; or why that can't be told. */
export interface AgentProposal {
  readonly agent_id: string
  readonly proposed?: Proposed
  readonly problem?: string
}

/** What each agent proposes, as its log says. What a killed one left on disk becomes a proposal first. */
export async function proposalsOf(agents: readonly string[], place: ProposalPlace): Promise<AgentProposal[]> {
  const short = shortNames(place.store)
  const found: AgentProposal[] = []
  for (const agent_id of agents) {
    const one = await orProblem(proposalOfAgent(agent_id, short, place))
    found.push({ agent_id, ...('problem' in one ? one : one.value && { proposed: one.value }) })
  }
  return found
}

async function proposalOfAgent(
  agent_id: string,
  short: ReturnType<typeof shortNames>,
  { store, project, folder, secrets }: ProposalPlace,
): Promise<Proposed | undefined> {
  const own = secrets === undefined ? {} : { secrets }
  const isFree = await settle(store, { project, folder, id: agent_id }, own)
  const { pending, agent } = await readProposal(store, agent_id)
  if (isFree && pending.size === 0) return undefined
  const unfinished = isFree ? unfinishedOf(agent) : 'still at work'
  const log = { store, project, agentId: agent_id, ...own }
  return {
    agent_id,
    name: await short(agent),
    log,
    pending,
    ...(unfinished === undefined ? {} : { unfinished }),
  }
}

/** Merges what agents propose, one after the other. What is unfinished nobody takes unseen: the others go without it. */
export async function mergeAll(proposed: readonly Proposed[]): Promise<MergedProposal[]> {
  const taken = new Map<string, Side | undefined>()
  const merged: MergedProposal[] = []
  for (const one of proposed) {
    const all = await merge(one.log, one.pending.values(), taken)
    // What is there already, such as by another agent that proposed the same, is no change any more.
    const files = all.filter(({ now, next, conflict }) => conflict !== undefined || !isSameFile(now, next))
    if (files.length === 0) continue
    if (one.unfinished === undefined)
      for (const { path, next, conflict } of files) if (conflict === undefined) taken.set(path, next)
    merged.push({ ...one, files })
  }
  return merged
}

/** One file of what an agent proposes, as it stands now; undefined once somebody decided about it. */
export async function standingFile({ log, agent_id }: Proposed, path: string): Promise<Merged | undefined> {
  const file = (await readProposal(log.store, agent_id)).pending.get(path)
  return file && (await merge(log, [file]))[0]
}

/** An agent that is still at work, or whose records are damaged, does not keep the others waiting. */
export async function orProblem<T>(
  work: Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  try {
    return { value: await work }
  } catch (thrown) {
    const isOwn = thrown instanceof TwotrackError && (thrown.code === 'locked' || thrown.code === 'damaged')
    if (!isOwn) throw thrown
    return { problem: thrown.message }
  }
}

/** What was accepted of an agent's proposals, as its log alone tells it. */
export async function acceptedOf(place: LogPlace, agent_id: string): Promise<EventPatch[]> {
  const patches: EventPatch[] = []
  for await (const event of place.store.read(agent_id, { raw: false }))
    if (event.type === 'accepted') patches.push(await patchAt(place, event))
  return patches
}

/** What an event proposes or says was taken, as a patch; without files for events about something else. */
export const patchAt = (place: LogPlace, event: Event): Promise<EventPatch> =>
  patchOf(event, new Contents({ ...place, agentId: event.agent_id }))

type LogPlace = Omit<ContentPlace, 'agentId'>
