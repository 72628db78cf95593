import { TwotrackError } from '../../errors.ts'
import { Memory } from '../../memory/memory.ts'
import type { Store } from '../../store/store.ts'
import type { Change } from '../../workspace/changes.ts'
import { openWorkspace, type Workspace } from '../../workspace/workspace.ts'
import { agentNamed, type CommonOptions, withStore } from '../context.ts'
import { folderOf } from '../job.ts'
import { count, paint, print, printJson, remark, safe } from '../output.ts'

export interface ReviewOptions extends CommonOptions {
  readonly all?: boolean
  readonly run?: string
  readonly partial?: boolean
  readonly stat?: boolean
  readonly reason?: string
  /** Prints nothing of its own. */
  readonly quiet?: boolean
}

interface Reviewed {
  readonly agent_id: string
  readonly workspace: Workspace
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
  return eachWorkspace(
    agents,
    options,
    options.all === true || options.run !== undefined,
    async (reviewed, store) => {
      const results = []
      for (const one of reviewed) {
        const { agent_id } = one
        const report = await unlessInUse(acceptOne(store, one, options.partial === true))
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
    },
  )
}

/** The log is held meanwhile: what an agent is still working on is not taken, and what is taken is recorded. */
async function acceptOne(store: Store, { agent_id, workspace, changes }: Reviewed, partial: boolean) {
  const memory = await Memory.open({ store, agent_id })
  try {
    const report = await workspace.accept({ partial })
    const { accepted, conflicts } = report
    if (accepted.length > 0)
      await memory.record({ type: 'workspace_accepted', data: { files: [...accepted], by: 'user' } })
    if (conflicts.length === 0 && accepted.length === changes.length) await workspace.discard()
    return report
  } finally {
    await memory.close()
  }
}

/** Throws proposed changes away. */
export async function rejectCommand(agents: readonly string[], options: ReviewOptions): Promise<number> {
  return eachWorkspace(
    agents,
    options,
    options.all === true || options.run !== undefined,
    async (reviewed, store) => {
      const rejected: string[] = []
      for (const one of reviewed) {
        const { agent_id, changes } = one
        if (!(await unlessInUse(rejectOne(store, one, 'user', options.reason ?? '')))) continue
        rejected.push(agent_id)
        if (!options.json && !options.quiet)
          print(`rejected ${safe(agent_id)}: ${count(changes.length, 'file')}`)
      }
      if (options.json && !options.quiet) printJson(rejected)
      return rejected.length === reviewed.length ? 0 : 1
    },
  )
}

/** Throws what an agent proposes away, and records that. */
export async function rejectOne(
  store: Store,
  { agent_id, workspace, changes }: Reviewed,
  by: string,
  reason: string,
): Promise<true> {
  const memory = await Memory.open({ store, agent_id })
  try {
    const files = changes.map(({ path }) => path)
    await memory.record({ type: 'workspace_rejected', data: { files, by, reason } })
    await workspace.discard()
    return true
  } finally {
    await memory.close()
  }
}

/** An agent that is still at work is left alone; the others are not kept waiting for it. */
async function unlessInUse<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'locked') throw thrown
    remark(`twotrack: ${thrown.message}`)
    return undefined
  }
}

async function eachWorkspace(
  agents: readonly string[],
  options: ReviewOptions,
  all: boolean,
  use: (reviewed: Reviewed[], store: Store) => Promise<number>,
): Promise<number> {
  if (agents.length === 0 && !all)
    throw new TwotrackError('bad_argument', 'Name the agents, or say --all or --run ID.')
  return withStore(options, async (store, { config, root }) => {
    const named =
      agents.length > 0
        ? await Promise.all(agents.map((agent) => agentNamed(store, agent)))
        : (await store.list(options.run === undefined ? {} : { run_id: options.run })).map(
            ({ agent_id }) => agent_id,
          )
    const reviewed: Reviewed[] = []
    for (const agent_id of new Set(named)) {
      const one = await proposedBy(agent_id, root, folderOf(config, root))
      if (one) reviewed.push(one)
      else if (agents.length > 0 && !options.quiet) remark(`${agent_id} proposes no changes.`)
    }
    return use(reviewed, store)
  })
}

/** The workspace of an agent with its changes; undefined when there are none. */
export async function proposedBy(
  agent_id: string,
  project: string,
  folder: string,
): Promise<Reviewed | undefined> {
  const workspace = await openWorkspace({ project, folder, id: agent_id }).catch(absent)
  const changes = (await workspace?.changes()) ?? []
  return workspace && changes.length > 0 ? { agent_id, workspace, changes } : undefined
}

function absent(thrown: unknown): undefined {
  if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
  throw thrown
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
