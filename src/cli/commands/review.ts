import { codeOf, TwotrackError } from '../../errors.ts'
import { Memory } from '../../memory/memory.ts'
import type { Store } from '../../store/store.ts'
import type { WorkspacePlace } from '../../workspace/make.ts'
import type { Change } from '../../workspace/merged.ts'
import { openWorkspace } from '../../workspace/workspace.ts'
import { agentNamed, type CommonOptions, logsOf, withStore } from '../context.ts'
import { folderOf } from '../job.ts'
import { count, paint, print, printJson, remark, safe } from '../output.ts'

export interface ReviewOptions extends CommonOptions {
  readonly all?: boolean
  readonly run?: string
  readonly partial?: boolean
  readonly stat?: boolean
  readonly reason?: string
}

interface Reviewed {
  readonly agent_id: string
  readonly place: WorkspacePlace
  readonly changes: readonly Change[]
}

/** The proposed changes as a diff. */
export async function changesCommand(agents: readonly string[], options: ReviewOptions): Promise<number> {
  return eachWorkspace(agents, options, agents.length === 0, async (reviewed) => {
    if (options.json) printJson(reviewed.map(({ agent_id, changes }) => ({ agent_id, changes })))
    else for (const { agent_id, changes } of reviewed) printChanges(agent_id, changes, options.stat === true)
    if (!options.json && reviewed.length === 0) print('No proposed changes.')
    return 0
  })
}

/** Takes proposed changes into the project. A file that changed there meanwhile is a conflict and stays as it is. */
export async function acceptCommand(agents: readonly string[], options: ReviewOptions): Promise<number> {
  return eachWorkspace(agents, options, options.all === true, async (reviewed, store) => {
    const results = []
    for (const one of reviewed) {
      const { agent_id } = one
      const report = await orReported(agent_id, acceptOne(store, one, options.partial === true))
      if (report === undefined) continue
      const { accepted, conflicts } = report
      results.push({ agent_id, accepted, conflicts })
      if (options.json) continue
      if (accepted.length > 0)
        print(`${paint('green', 'accepted')} ${safe(agent_id)}: ${accepted.map(safe).join(', ')}`)
      for (const { path, reason } of conflicts)
        print(`${paint('red', 'conflict')} ${safe(agent_id)}: ${safe(path)}: ${safe(reason)}`)
    }
    if (options.json) printJson(results)
    const whole = results.every(({ conflicts }) => conflicts.length === 0)
    return whole && results.length === reviewed.length ? 0 : 1
  })
}

/** The log is held meanwhile: what an agent is still working on is not taken, and what is taken is recorded. */
async function acceptOne(store: Store, { agent_id, place }: Reviewed, partial: boolean) {
  const memory = await Memory.open({ store, agent_id })
  try {
    const workspace = await openWorkspace(place)
    const report = await workspace.accept({ partial })
    const { accepted, conflicts } = report
    if (accepted.length > 0)
      await memory.record({ type: 'workspace_accepted', data: { files: [...accepted], by: 'user' } })
    if (conflicts.length === 0) await workspace.discard()
    return report
  } finally {
    await memory.close()
  }
}

/** Throws proposed changes away. */
export async function rejectCommand(agents: readonly string[], options: ReviewOptions): Promise<number> {
  return eachWorkspace(agents, options, options.all === true, async (reviewed, store) => {
    const rejected: string[] = []
    for (const one of reviewed) {
      const { agent_id, changes } = one
      if (!(await orReported(agent_id, rejectOne(store, one, 'user', options.reason ?? '')))) continue
      rejected.push(agent_id)
      if (!options.json) print(`rejected ${safe(agent_id)}: ${count(changes.length, 'file')}`)
    }
    if (options.json) printJson(rejected)
    return rejected.length === reviewed.length ? 0 : 1
  })
}

/** Throws what an agent proposes away, and records that. */
export async function rejectOne(
  store: Store,
  { agent_id, place, changes }: Reviewed,
  by: string,
  reason: string,
): Promise<true> {
  const memory = await Memory.open({ store, agent_id })
  try {
    const files = changes.map(({ path }) => path)
    await memory.record({ type: 'workspace_rejected', data: { files, by, reason } })
    await (await openWorkspace(place)).discard()
    return true
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

/** The agents that are meant: by name, of a run, or all. */
async function selectedAgents(
  agents: readonly string[],
  options: ReviewOptions,
  all: boolean,
  store: Store,
): Promise<string[]> {
  if (agents.length > 0)
    return [...new Set(await Promise.all(agents.map((agent) => agentNamed(store, agent))))]
  if (!all && options.run === undefined)
    throw new TwotrackError('bad_argument', 'Name the agents, or say --all or --run ID.')
  const filter = options.run === undefined ? {} : { run_id: options.run }
  return (await logsOf(store, filter)).map(({ agent_id }) => agent_id)
}

/** What the agents that are meant propose; undefined for one whose workspace can't be looked at, which is told. */
export async function proposals(
  agents: readonly string[],
  options: ReviewOptions,
  all: boolean,
  store: Store,
  { project, folder }: { readonly project: string; readonly folder: string },
): Promise<{ agent_id: string; proposed: Reviewed | false | undefined }[]> {
  const found = []
  for (const agent_id of await selectedAgents(agents, options, all, store))
    found.push({ agent_id, proposed: await orReported(agent_id, proposedBy(agent_id, project, folder)) })
  return found
}

/** Calls `use` with what is proposed. The exit code is 1 as well when somebody's workspace can't be looked at. */
async function eachWorkspace(
  agents: readonly string[],
  options: ReviewOptions,
  all: boolean,
  use: (reviewed: Reviewed[], store: Store) => Promise<number>,
): Promise<number> {
  return withStore(options, async (store, { config, root }) => {
    const places = { project: root, folder: folderOf(config, root) }
    const found = await proposals(agents, options, all, store, places)
    for (const { agent_id, proposed } of found)
      if (proposed === false && agents.length > 0) remark(`${safe(agent_id)} proposes no changes.`)
    const code = await use(
      found.flatMap(({ proposed }) => proposed || []),
      store,
    )
    return found.some(({ proposed }) => proposed === undefined) ? Math.max(code, 1) : code
  })
}

/** The workspace of an agent with its changes; false when there are none. */
export async function proposedBy(
  agent_id: string,
  project: string,
  folder: string,
  again = true,
): Promise<Reviewed | false> {
  const place = { project, folder, id: agent_id }
  try {
    const changes = await (await openWorkspace(place)).changes()
    return changes.length > 0 && { agent_id, place, changes }
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'missing') return false
    // An agent that ends at this very moment takes its copy away.
    if (again && codeOf(thrown) === 'ENOENT') return proposedBy(agent_id, project, folder, false)
    throw thrown
  }
}

function printChanges(agentId: string, changes: readonly Change[], stat: boolean): void {
  print(paint('bold', safe(agentId)))
  for (const { path, kind, lines_added, lines_removed, text, conflict } of changes) {
    print(`  ${kind} ${safe(path)} ${paint('green', `+${lines_added}`)} ${paint('red', `-${lines_removed}`)}`)
    if (conflict !== undefined) print(paint('red', `  conflict: ${safe(conflict)}`))
    if (stat) continue
    for (const line of text.split('\n')) print(coloured(safe(line)))
  }
}

const coloured = (line: string): string =>
  line.startsWith('+')
    ? paint('green', line)
    : line.startsWith('-')
      ? paint('red', line)
      : line.startsWith('@@')
        ? paint('cyan', line)
        : line
