import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { candidatesOf } from '../agent/rules.ts'
import { SUBMIT_TOOL, submitTool } from '../agent/submit.ts'
import { defined, type Json, type JsonObject } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import { shownHere } from '../core/memory/shown-here.ts'
import { loadTokenizer } from '../core/memory/tokenizer.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import type { Hub } from '../hub/hub.ts'
import { Memory } from '../memory.ts'
import { frameTokens } from '../model/formats.ts'
import { recallTool } from '../tool/recall.ts'
import { declarationOf, filesIn, type Tool } from '../tool/tool.ts'
import { type Policy, policySchema } from '../trust/policy.ts'
import type { WorkspaceOptions } from '../workspace/make.ts'
import type { Pending } from '../workspace/proposal.ts'
import type { AgentOptions, AgentReport } from './agent-options.ts'
import { loop } from './loop.ts'
import { tellEvents } from './observe.ts'
import type { OwnCopy } from './propose.ts'
import type { AgentRun } from './run.ts'
import { followRun } from './state.ts'

const TURNS_MAX_DEFAULT = 15

/**
 * Runs an agent from its first event to its last, or goes on with one that was cut short. Rejects only if it can't
 * begin (the log is in use, the goal does not fit the budget); whatever happens later is in the log and in `stop`.
 */
export async function startAgent(options: AgentOptions): Promise<AgentReport> {
  const { store, signal = new AbortController().signal } = options
  const policy = policyOf(options.policy)
  const tools = toolsOf(options).filter(({ name }) => policy?.tools?.includes(name) !== false)
  const memory = await openMemory(options, tools, policy)
  let hub: Hub | undefined
  const own = typeof options.workspace === 'object' ? options.workspace : undefined
  let copy: OwnCopy | undefined
  /** What it proposes, once that is in the log: then the copy can go. */
  let proposed: Pending | undefined
  try {
    if (options.onEvent) tellEvents(memory, options.onEvent)
    if (own) copy = await copyFor(own, store, memory)
    const place =
      typeof options.workspace === 'string' ? folderAt(resolve(options.workspace)) : copy?.workspace
    hub = await hubOf(options, memory, place && (() => place.root))
    const propose = async () => {
      if (!own || !copy) return
      const pending = await (await proposing()).propose(memory, store, copy)
      copy = { ...copy, pending }
      proposed = pending
    }
    const run = {
      ...(await runOf(options, memory, tools, place, hub, policy)),
      ...{ propose, portable: own?.portable ?? false },
    }
    const stop = await loop(run, signal)
    // An agent that had handed in its result before proposes what it did.
    if (stop.reason === 'submitted') proposed ??= copy?.pending
    const changes =
      own && proposed?.size
        ? await (await proposing()).changesOf({ ...own, store, agentId: memory.agent_id }, proposed)
        : []
    const { agent, submitted } = run.state()
    const { agent_id, turn: turns, state } = memory
    const { events = 0, raw_bytes = 0, prompt_tokens = 0, prompt_tokens_max = 0, problems = 0 } = agent ?? {}
    return {
      ...{ agent_id, stop, turns, events, raw_bytes, prompt_tokens, prompt_tokens_max, problems },
      failed: agent?.outcome !== 'done',
      standing: agent?.standing ?? 'open',
      ...defined({ claim: agent?.claim }),
      result: submitted && (await resultIn(store, agent_id, submitted.seq)),
      /** Made when it is asked for: choosing what it shows takes its time. */
      get packet() {
        return memory.packet
      },
      open: state.diagnostics.map(({ value }) => value),
      changes,
    }
  } finally {
    if (typeof options.hub === 'function') await hub?.close()
    try {
      if (proposed || own?.portable) await copy?.workspace.discard()
      else copy?.workspace.release()
    } finally {
      await memory.close()
    }
  }
}

function toolsOf({ tools = [], submit, recall }: AgentOptions): Tool[] {
  const own = tools.some(({ name }) => name === SUBMIT_TOOL)
  if (own && submit)
    throw new TwotrackError('bad_argument', `Give either "submit" or a tool ${SUBMIT_TOOL}, not both.`)
  const all = [...tools, ...(recall ? [recallTool] : []), ...(own ? [] : [submitting(submit)])]
  const twice = all.find(({ name }, at) => all.findIndex((other) => other.name === name) !== at)
  if (twice) throw new TwotrackError('bad_argument', `The tool ${twice.name} is there twice.`)
  return all
}

function submitting(schema: z.ZodObject = z.strictObject({ summary: z.string().min(1) })): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject
  return submitTool(parameters)
}

/** Checked, because it may come from JavaScript; what ends the run may always be called. */
function policyOf(given: Policy | undefined): Policy | undefined {
  if (given === undefined) return undefined
  const parsed = policySchema.safeParse(given)
  if (!parsed.success)
    throw new TwotrackError('bad_argument', `The policy can't be used: ${z.prettifyError(parsed.error)}`)
  const { tools } = parsed.data
  return { ...parsed.data, ...(tools ? { tools: [...tools, SUBMIT_TOOL] } : {}) }
}

const turnsMax = ({ limits }: AgentOptions): number => limits?.turnsMax ?? TURNS_MAX_DEFAULT

async function openMemory(
  options: AgentOptions,
  tools: readonly Tool[],
  policy: Policy | undefined,
): Promise<Memory> {
  const declared = tools.map(declarationOf)
  const tokenizer = await loadTokenizer(options.tokenizer)
  const memory = await Memory.open({
    ...options,
    agentId: options.agentId ?? `agent-${randomUUID()}`,
    constraints: { max_turns: turnsMax(options), safety: [...(options.safety ?? [])] },
    tools: declared,
    wire: options.model.parameters ? 'recorded' : 'handed_over',
    grouped: true,
    ...(policy ? { origin: { ...options.origin, policy } } : {}),
    frameTokens: frameTokens(options.model.format, declared, tokenizer),
  })
  return shownHere(memory)
}

async function runOf(
  options: AgentOptions,
  memory: Memory,
  tools: readonly Tool[],
  workspace: AgentRun['workspace'],
  hub: Hub | undefined,
  policy: Policy | undefined,
): Promise<AgentRun> {
  const { store, model, candidates = [], escalation, approve, trusts, shared } = options
  const project = typeof options.workspace === 'object' ? resolve(options.workspace.project) : undefined
  return {
    memory,
    store,
    state: await followRun(memory, store),
    model,
    tools,
    candidates: typeof candidates === 'function' ? candidates : (view) => candidatesOf(candidates, view),
    status: options.status ?? [],
    failsWhen: options.failsWhen ?? [],
    contextProviders: options.contextProviders ?? [],
    workspace,
    context: options.context ?? 'packet',
    limits: { ...options.limits, turnsMax: turnsMax(options) },
    ...defined({ project, shared, hub, policy, approve, trusts, escalation, check: options.check }),
    wait: options.wait ?? pause,
    random: options.random ?? Math.random,
  }
}

/** Waits, or until the signal fires. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => {})

const folderAt = (root: string) => ({ root, ...filesIn(root) })

type Project = Omit<WorkspaceOptions, 'id'>

/** Loaded only when an agent works on a copy of a project. */
const proposing = () => import('./propose.ts')

const copyFor = async (options: Project, store: Store, memory: Memory): Promise<OwnCopy> =>
  (await proposing()).ownCopy({ ...options, id: memory.agent_id }, store, memory.head.seq <= 1)

/** A run without a hub works: that there is none is an event. */
async function hubOf(
  { hub }: AgentOptions,
  memory: Memory,
  workspace: (() => string) | undefined,
): Promise<Hub | undefined> {
  try {
    return typeof hub === 'function' ? await hub(workspace) : hub
  } catch (thrown) {
    await memory.record({ type: 'agent_error', data: { where: 'hub', message: messageOf(thrown) } })
    return undefined
  }
}

async function resultIn(store: Store, agentId: string, seq: number): Promise<Json | undefined> {
  for await (const event of store.read(agentId, { from: seq, to: seq })) {
    const result = await fieldOf(store, event, 'result')
    return result instanceof Uint8Array ? undefined : result
  }
  return undefined
}
