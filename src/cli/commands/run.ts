import { randomBytes } from 'node:crypto'
import type { Agent } from '../../agent/agent.ts'
import { agentRequest, loadAgents } from '../../agents/load.ts'
import { TwotrackError } from '../../errors.ts'
import { openHub } from '../../hub/open.ts'
import { many, type Task } from '../../run/many.ts'
import type { Store } from '../../store/store.ts'
import { nearest } from '../../text/suggest.ts'
import type { SharedRun } from '../../tool/tool.ts'
import { Copies } from '../../workspace/copies.ts'
import { openWorkspace } from '../../workspace/workspace.ts'
import { approveAt } from '../approve.ts'
import { type CommonOptions, configFor, storeFor } from '../context.ts'
import { type Done, folderOf, type Job, notBegun, type RunEnvironment, runJob } from '../job.ts'
import { escalationFor, modelAssignments, modelFor } from '../model.ts'
import { bytes, count, paint, print, printJson, remark, safe, self, table } from '../output.ts'
import { progressOf } from '../progress.ts'
import { jobsFor } from '../targets.ts'
import { type ProjectTrust, requestsOf, type TrustOptions, trustFor } from '../trust.ts'

const OPEN_SHOWN_MAX = 8

/** Which agent a name stands for, and what of the project it may use. */
export interface AgentChoice extends TrustOptions {
  /** The built-in agent, though the project has one of its name. */
  readonly builtIn?: boolean
}

export type FailOn = 'never' | 'problems' | 'failures'

export interface RunOptions extends CommonOptions, AgentChoice {
  readonly model?: string
  readonly url?: string
  readonly context?: 'packet' | 'messages' | 'both'
  readonly concurrency?: number
  readonly maxTurns?: number
  readonly hub?: boolean
  readonly failOn?: FailOn
}

/** Runs one agent per node under the paths; returns the exit code. */
export async function runCommand(
  operation: string,
  paths: readonly string[],
  options: RunOptions,
): Promise<number> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const project = loaded.root
  const run_id = `run-${runSuffix()}`
  const trust = await trustFor(loaded, options)
  const agent = await agentFor(operation, project, trust, options)
  const jobs = await jobsFor(
    agent,
    project,
    paths.length === 0 ? [project] : paths,
    run_id.slice('run-'.length),
  )
  if (jobs.length === 0) {
    throw new TwotrackError(
      'missing',
      `Nothing to do: no ${agent.definition.languages.join(', ')} ${agent.definition.node_types.join(' or ')} under ${paths.join(', ') || '.'}.`,
    )
  }
  const store = storeFor(loaded)
  try {
    const environment = await environmentFor(loaded, store, run_id, options, trust)
    const done = await runJobs(environment, jobs, options)
    report(done, jobs.length, options, store)
    return exitCode(done, jobs.length, options.failOn)
  } finally {
    await store.close()
  }
}

/**
 * 0: all is well · 1: some failed, or problems are open and these count · 2: none handed in a result · 130: stopped
 * from outside, as a shell says it.
 */
export function exitCode(done: readonly Done[], wanted: number, failOn: FailOn = 'failures'): number {
  if (done.length < wanted || done.some(({ stop }) => stop.reason === 'cancelled')) return 130
  if (failOn === 'never') return 0
  if (done.every(({ stop }) => stop.reason !== 'submitted')) return 2
  const isBad = ({ failed, open }: Done) => failed || (failOn === 'problems' && open.length > 0)
  return done.some(isBad) ? 1 : 0
}

export const runSuffix = (): string =>
  `${new Date().toISOString().slice(2, 16).replace(/\D/g, '')}${randomBytes(2).toString('hex')}`

export async function agentFor(
  operation: string,
  project: string,
  { trusts, ask }: ProjectTrust,
  { builtIn = false }: AgentChoice,
): Promise<Agent> {
  const own = builtIn ? undefined : await agentRequest(project, operation)
  if (own) await ask([own])
  const { agents, problems } = await loadAgents(builtIn ? {} : { project, trusts })
  for (const { source, message } of problems)
    if (isAbout(operation, source)) remark(`twotrack: ${source}: ${message}`)
  const agent = agents.get(operation)
  if (agent) {
    if (own) remark(`twotrack: ${operation} is ${safe(agent.source)} of this project.`)
    await ask(await requestsOf(agent.tools, project))
    return agent
  }
  const known = [...agents.keys()]
  const meant = nearest(operation, known)
  throw new TwotrackError(
    'bad_argument',
    `There is no agent "${operation}"${meant === undefined ? '' : `; did you mean ${meant}?`} There are: ${known.join(', ')}.`,
  )
}

/** Problems of other agents are for "twotrack agents". */
const isAbout = (operation: string, source: string): boolean => source.startsWith(`agents/${operation}/`)

export async function environmentFor(
  loaded: ReturnType<typeof configFor>,
  store: RunEnvironment['store'],
  run_id: string,
  options: Pick<RunOptions, 'context' | 'maxTurns' | 'hub'>,
  { trusts }: ProjectTrust,
): Promise<RunEnvironment> {
  const { config, root: project } = loaded
  const escalation = escalationFor(loaded)
  const folder = folderOf(config, project)
  return {
    config,
    project,
    folder,
    store,
    model: modelFor(loaded),
    trusts,
    ...(escalation ? { escalation } : {}),
    ...(options.hub === false ? {} : { hub: hubOf(project, folder) }),
    run_id,
    ...(options.context === undefined ? {} : { context: options.context }),
    ...(options.maxTurns === undefined ? {} : { turns_max: options.maxTurns }),
  }
}

const hubOf = (project: string, folder: string) => (workspace: string | undefined) =>
  openHub({ project, folder, ...(workspace === undefined ? {} : { workspace }) })

/** Runs jobs side by side with a progress view; Ctrl-C stops them cleanly, a second one at once. */
export async function runJobs(
  environment: RunEnvironment,
  jobs: readonly Job[],
  options: Pick<RunOptions, 'concurrency' | 'store' | 'folder'>,
): Promise<Done[]> {
  const stop = new AbortController()
  const interrupt = () => (stop.signal.aborted ? process.exit(130) : stop.abort(new Error('interrupted')))
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const progress = progressOf(jobs.length)
  const copies = new Copies(environment.folder)
  const link = [...new Set(jobs.flatMap(({ agent }) => agent.definition.link))]
  const shared: SharedRun = {
    paths: [...new Set(jobs.map(({ target }) => target.file_path))],
    tree: () => copies.tree(environment.project, link),
    signal: stop.signal,
    tell: (line) => progress.tell(line),
  }
  const approve = approveAt(progress)
  const tasks: Task<Done>[] = jobs.map((job) => ({
    id: job.agent_id,
    ...(job.priority === undefined ? {} : { priority: job.priority }),
    run: async (signal) => {
      progress.begin(job.agent_id, `${job.agent.operation} ${job.target.node.id}`)
      return runJob(
        {
          ...environment,
          copies,
          shared,
          ...(approve ? { approve } : {}),
          onEvent: (event) => progress.happened(event),
        },
        job,
        signal,
      )
    },
  }))
  try {
    const byId = new Map(jobs.map((job) => [job.agent_id, job]))
    const done = new Map<string, Done>()
    const atOnce = options.concurrency ?? environment.config.run.concurrency
    await many(tasks, atOnce, stop.signal, (end) => {
      const job = byId.get(end.id)
      const one = 'value' in end ? end.value : job && notBegun(job, end.failed)
      if (one) done.set(end.id, one)
      if (one) progress.end(end.id, lineOf(one))
    })
    const inOrder = jobs.flatMap(({ agent_id }) => done.get(agent_id) ?? [])
    if (environment.store.kind === 'memory') await discardAll(inOrder, environment)
    if (stop.signal.aborted) remark(howToGoOn(inOrder, options))
    return inOrder
  } finally {
    await copies.close()
    progress.close()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

const UNRECORDED =
  "Nothing of this run is kept, so its changes can't be accepted later; --json has their diffs. " +
  'To accept them, record the run: leave out --store memory and runner.memory.enabled=false.'

/** Without a log nobody could accept what is in a workspace, or find it. */
async function discardAll(done: readonly Done[], { project, folder }: RunEnvironment): Promise<void> {
  for (const { agent_id: id, changes } of done)
    if (changes.length > 0) await (await openWorkspace({ project, folder, id })).discard()
}

function howToGoOn(done: readonly Done[], options: CommonOptions): string {
  const cut = done.filter(({ stop }) => stop.reason === 'cancelled').map(({ agent_id }) => safe(agent_id))
  return cut.length === 0
    ? 'Stopped.'
    : `Stopped. Go on with: ${self} resume ${cut.join(' ')}${sameStore(options)}`
}

/** The options with which another command finds the logs of this one. */
const sameStore = ({ store, folder }: CommonOptions): string =>
  `${store === undefined ? '' : ` --store ${store}`}${folder === undefined ? '' : ` --folder ${safe(folder)}`}`

const lineOf = ({ node_id, stop, failed, changes }: Done): string =>
  `${failed ? '✗' : '✓'} ${node_id}: ${stop.reason === 'submitted' ? '' : `${stop.reason}: `}${stop.summary}${changes.length > 0 ? ` (${changes.length} changed)` : ''}`

export function report(
  done: readonly Done[],
  wanted: number,
  options: CommonOptions,
  { kind }: Pick<Store, 'kind'>,
): void {
  if (options.json) {
    printJson(done)
    return
  }
  const rows = done.map((one) => [
    one.node_id,
    one.stop.reason !== 'submitted' ? one.stop.reason : one.failed ? 'failed' : 'done',
    one.turns,
    `${one.prompt_tokens_max} tokens`,
    one.changes.length === 0
      ? '-'
      : one.changes.map(({ lines_added, lines_removed }) => `+${lines_added} -${lines_removed}`).join(' '),
    one.stop.summary,
  ])
  if (rows.length > 0) print(table(['node', 'end', 'turns', 'prompt', 'changes', 'summary'], rows))
  for (const { node_id, open } of done) {
    if (open.length > 0) print(`\n${paint('bold', safe(node_id))}`)
    for (const line of open.slice(0, OPEN_SHOWN_MAX)) print(`  ${safe(line)}`)
    if (open.length > OPEN_SHOWN_MAX) print(paint('dim', `  and ${open.length - OPEN_SHOWN_MAX} more`))
  }
  const failed = wanted - done.filter((one) => !one.failed).length
  const changed = done.filter(({ changes }) => changes.length > 0)
  print(
    `\n${paint('bold', count(wanted, 'agent'))}: ${wanted - failed} done, ${failed} not; ${changed.length} propose changes.`,
  )
  const sum = (of: (one: Done) => number) => done.reduce((total, one) => total + of(one), 0)
  print(
    `Recorded: ${sum(({ events }) => events).toLocaleString('en-US')} events with ${bytes(sum(({ raw_bytes }) => raw_bytes))} of raw output; ` +
      `no prompt was larger than ${Math.max(0, ...done.map(({ prompt_tokens_max }) => prompt_tokens_max))} tokens.`,
  )
  if (changed.length > 0 && kind === 'memory') {
    print(paint('dim', UNRECORDED))
  } else if (changed.length > 0) {
    const first = changed[0]?.agent_id ?? ''
    const there = sameStore(options)
    print(
      paint(
        'dim',
        `See them: ${self} changes${there} · take them: ${self} accept --all${there} (or ${safe(first)}) · why: ${self} show ${safe(first)}${there}`,
      ),
    )
  }
}
