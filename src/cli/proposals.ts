import { unfinishedOf } from '../app/agents.ts'
import { withStore } from '../app/context.ts'
import { folderOf } from '../app/job.ts'
import { agentsMeant, shortNames, type WhichOptions } from '../app/names.ts'
import type { Store } from '../core/store/store.ts'
import { codeOf, TwotrackError } from '../errors.ts'
import { Memory } from '../memory.ts'
import type { Taking } from '../workspace/accept.ts'
import type { Side } from '../workspace/diff.ts'
import type { WorkspacePlace } from '../workspace/make.ts'
import type { Merged } from '../workspace/merged.ts'
import { type AcceptReport, openWorkspace, type Workspace } from '../workspace/workspace.ts'
import type { CommonOptions } from './options.ts'
import { remark, safe, self } from './output.ts'

/** What an agent proposes to change. */
export interface Proposed {
  readonly agent_id: string
  /** What a person types for it. */
  readonly name: string
  readonly place: WorkspacePlace
  /** Why its work is not whole. */
  readonly unfinished?: string
  /** Each file merged with the project as it is, and with what the agents before it propose. */
  readonly files: readonly Merged[]
}

export interface ProposalOptions extends CommonOptions, WhichOptions {}

/** Calls `use` with what the agents propose. The exit code is 1 as well when somebody's workspace can't be looked at. */
export async function withProposals(
  agents: readonly string[],
  options: ProposalOptions,
  use: (proposed: Proposed[], store: Store) => Promise<number>,
): Promise<number> {
  return withStore(options, async (store, { config, root }) => {
    const places = { project: root, folder: folderOf(config, root) }
    const meant = await agentsMeant(store, agents, options)
    const found = await proposalsOf(meant, store, places)
    for (const { agent_id, proposed } of found)
      if (proposed === false && agents.length > 0) remark(`${safe(agent_id)} proposes no changes.`)
    const code = await use(
      found.flatMap(({ proposed }) => proposed || []),
      store,
    )
    return found.some(({ proposed }) => proposed === undefined) ? Math.max(code, 1) : code
  })
}

/** False for an agent without changes; undefined for one whose workspace can't be looked at, which is told. */
export async function proposalsOf(
  agents: readonly string[],
  store: Store,
  { project, folder }: { readonly project: string; readonly folder: string },
): Promise<{ agent_id: string; proposed: Proposed | false | undefined }[]> {
  const short = await shortNames(store)
  const taken = new Map<string, Side | undefined>()
  const found = []
  for (const agent_id of agents) {
    const place = { project, folder, id: agent_id }
    const files = await orReported(agent_id, filesOf(place, taken))
    if (!files || files.length === 0) {
      found.push({ agent_id, proposed: files && (false as const) })
      continue
    }
    const name = short(agent_id)
    const unfinished = await unfinishedOf(store, agent_id)
    // Nobody takes what is unfinished without looking at it: the others are not merged with it.
    for (const { path, next, conflict } of unfinished === undefined ? files : [])
      if (conflict === undefined) taken.set(path, next)
    found.push({
      agent_id,
      proposed: { agent_id, name, place, files, ...(unfinished === undefined ? {} : { unfinished }) },
    })
  }
  return found
}

/** What can be taken together: all but what is unfinished, which is told, unless it was named. */
export function finished(proposed: readonly Proposed[], named: boolean): Proposed[] {
  if (named) return [...proposed]
  for (const { name, unfinished } of proposed)
    if (unfinished !== undefined)
      remark(
        `${safe(name)} is left out, it is unfinished (${unfinished}). See it: ${self} changes ${safe(name)} · go on: ${self} resume ${safe(name)} · take it all the same: ${self} accept ${safe(name)}`,
      )
  return proposed.filter(({ unfinished }) => unfinished === undefined)
}

/** Of one agent alone; empty when there are none. */
export async function filesOf(
  place: WorkspacePlace,
  taken?: ReadonlyMap<string, Side | undefined>,
  again = true,
): Promise<readonly Merged[]> {
  try {
    return await (await openWorkspace(place)).merged(taken)
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'missing') return []
    // An agent that ends at this very moment takes its copy away.
    if (again && codeOf(thrown) === 'ENOENT') return filesOf(place, taken, false)
    throw thrown
  }
}

/** Takes what an agent proposes, or what a person made of it, and records that. */
export async function accept(
  store: Store,
  { agent_id, place }: Pick<Proposed, 'agent_id' | 'place'>,
  options: { readonly partial?: boolean; readonly files?: readonly Taking[] },
): Promise<AcceptReport> {
  return held(store, agent_id, place, async (workspace, memory) => {
    const report = await workspace.accept(options)
    const files = [...report.accepted]
    if (files.length > 0) await memory.record({ type: 'workspace_accepted', data: { files, by: 'user' } })
    return report
  })
}

/** Throws what an agent proposes away, or some of it, and records that. */
export async function reject(
  store: Store,
  { agent_id, place, files }: Pick<Proposed, 'agent_id' | 'place' | 'files'>,
  reason: string,
  by = 'user',
): Promise<true> {
  return held(store, agent_id, place, async (workspace, memory): Promise<true> => {
    const data = { files: files.map(({ path }) => path), by, reason }
    await memory.record({ type: 'workspace_rejected', data })
    await workspace.drop(data.files)
    return true
  })
}

/** The log is held meanwhile: what an agent is still working on is neither taken nor thrown away. */
async function held<T>(
  store: Store,
  agent_id: string,
  place: WorkspacePlace,
  work: (workspace: Workspace, memory: Memory) => Promise<T>,
): Promise<T> {
  const memory = await Memory.open({ store, agent_id })
  try {
    const workspace = await openWorkspace(place)
    const done = await work(workspace, memory)
    if ((await workspace.merged()).length === 0) await workspace.discard()
    return done
  } finally {
    await memory.close()
  }
}

/** An agent that is still at work, or whose records are damaged, is told of; the others are not kept waiting for it. */
export async function orReported<T>(agent_id: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (thrown) {
    const isOwn = thrown instanceof TwotrackError && (thrown.code === 'locked' || thrown.code === 'damaged')
    if (!isOwn) throw thrown
    remark(`twotrack: ${safe(agent_id)}: ${safe(thrown.message)}`)
    return undefined
  }
}
