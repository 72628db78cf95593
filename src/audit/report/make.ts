import { type ByType, byType } from '../../core/event/by-type.ts'
import type { EventFor } from '../../core/event/event.ts'
import { defined } from '../../core/event/json.ts'
import { matches } from '../../core/store/log-entry.ts'
import type { LogEntry, Store } from '../../core/store/store.ts'
import { readAgentSummary } from '../../run/agent-summary.ts'
import { cut } from '../../text/cut.ts'
import { Contents } from '../../workspace/contents.ts'
import { type FilePatch, patchOf, patchText, proposedPatch } from '../../workspace/patch.ts'
import { foldProposal, type Pending } from '../../workspace/proposal.ts'
import { eachLog } from '../history.ts'
import { costOf, noPrices, type Prices, priced, together, Usage } from './cost.ts'
import { type AgentPart, isFailed, type Report, sums } from './report.ts'

type ReportOptions = NonNullable<Parameters<typeof makeReport>[1]>

/** Steps are told one by one up to so many agents. */
const STEPS_AGENTS_MAX = 20

/** Reads every log that the filter lets through, once. */
export async function makeReport(
  store: Store,
  options: {
    readonly run_id?: string
    readonly node_id?: string
    readonly operation?: string
    readonly agent_id?: string
    /** Only logs that began at this time or later, as an ISO date. */
    readonly since?: string
    /** What a million tokens cost, by the model's name. */
    readonly prices?: {
      readonly currency: string
      readonly models: Readonly<Record<string, { readonly prompt: number; readonly completion: number }>>
    }
    /** When it was made; now, unless told otherwise. */
    readonly made?: Date
    /** Called after each log, with how many are done and how many there are. */
    readonly onLog?: (done: number, all: number) => void
  } = {},
): Promise<Report> {
  const { prices = noPrices, made = new Date(), onLog, ...filter } = options
  const entries = (await store.list()).filter((entry) => isMeant(entry, filter))
  const withSteps = entries.length <= STEPS_AGENTS_MAX
  const agents = await eachLog(entries, (entry) => readAgent(store, entry, prices, withSteps), onLog)
  const models = together(agents.flatMap((agent) => agent.models)).map((use) => priced(use, prices))
  const files = new Set(agents.flatMap(({ changes }) => changes.map(({ path }) => path)))
  return {
    made: made.toISOString(),
    filter,
    currency: prices.currency,
    totals: {
      agents: agents.length,
      done: agents.filter(({ outcome, standing }) => outcome === 'done' && standing !== 'problems_left')
        .length,
      problems_left: agents.filter(({ standing }) => standing === 'problems_left').length,
      failed: agents.filter(isFailed).length,
      open: agents.filter(({ outcome }) => outcome === 'open').length,
      ...sums(agents, 'events', 'turns', 'calls', 'failed_calls', 'raw_bytes', 'tool_ms'),
      files_changed: files.size,
      ...sums(models, 'prompt_tokens', 'completion_tokens', 'answer_ms'),
      ...defined({ cost: costOf(models) }),
    },
    models,
    agents,
  }
}

const isMeant = (entry: LogEntry, { agent_id, since, ...filter }: ReportOptions): boolean =>
  matches(entry, filter) &&
  (agent_id === undefined || entry.agent_id === agent_id) &&
  (since === undefined || Date.parse(entry.created) >= Date.parse(since))

const STEPS_MAX = 500
const FAILURES_MAX = 20
const CHANGES_MAX = 200
const PATCH_CHARS_MAX = 100_000
const WORDS_MAX = 20
const WORDS_CHARS_MAX = 2_000
const MESSAGE_CHARS_MAX = 400

const KINDS = {
  edit: 'edited',
  lines: 'edited',
  write: 'written',
  remove: 'removed',
  touch: 'touched',
} as const

type Mutable<List> = List extends readonly (infer One)[] ? One[] : never
type Place = Pick<AgentPart['failures'][number], 'seq' | 'turn'>
type Kind = AgentPart['changes'][number]['kind']

/** What the events of one agent come to. A log that is damaged is told of as far as it can be read. */
async function readAgent(
  store: Store,
  entry: LogEntry,
  prices: Prices,
  withSteps: boolean,
): Promise<AgentPart> {
  const usage = new Usage()
  const tools = new Map<string, { tool: string; calls: number; failed: number }>()
  const changes = new Map<string, AgentPart['changes'][number]>()
  const steps: Mutable<AgentPart['steps']> = []
  const failures: Mutable<AgentPart['failures']> = []
  const words: Mutable<AgentPart['asked']['words']> = []
  const accepted: EventFor<'accepted'>[] = []
  let pending: Pending = new Map()
  let goal = ''
  let end: Place | undefined
  let at: Place = { seq: 0, turn: 0 }

  const fail = (where: string, message: string): void => {
    if (failures.length < FAILURES_MAX)
      failures.push({ ...at, where, message: cut(message, MESSAGE_CHARS_MAX) })
  }
  const hear = (text: string): void => {
    if (text !== '' && words.length < WORDS_MAX) words.push({ ...at, text: cut(text, WORDS_CHARS_MAX) })
  }
  /** The newest thing that was done to a file; a person's decision is the last word. */
  const change = (kind: Kind, ...paths: readonly string[]): void => {
    for (const path of paths) {
      const known = changes.get(path)
      if (!known && changes.size >= CHANGES_MAX) continue
      const before = known?.kind === kind ? known.times : 0
      // Several places that one call changed are one time.
      const times = before > 0 && known?.seq === at.seq ? before : before + 1
      changes.set(path, { ...at, path, kind, times })
    }
  }
  const handle: ByType<[], void> = {
    run_start: ({ data }) => {
      goal = cut(data.goal, WORDS_CHARS_MAX)
    },
    person_message: ({ data }) => {
      // A run that began without a goal has the first thing that a person says.
      if (goal === '') goal = cut(data.text, WORDS_CHARS_MAX)
      else hear(data.text)
    },
    correction: ({ data }) => hear(data.note),
    model_request: ({ data }) => usage.request(data),
    model_response: ({ data }) => usage.response(data),
    tool_result: ({ data: { tool, outcome, error, duration_ms }, delta }) => {
      const { calls, failed } = tools.get(tool) ?? { calls: 0, failed: 0 }
      tools.set(tool, { tool, calls: calls + 1, failed: failed + (outcome === 'error' ? 1 : 0) })
      const said = delta?.add_action?.[0]?.summary ?? outcome
      if (outcome === 'error') fail(tool, error ?? said)
      for (const { kind, path } of delta?.change_files ?? []) if (kind !== 'read') change(KINDS[kind], path)
      const summary = cut(said, MESSAGE_CHARS_MAX)
      if (withSteps && steps.length < STEPS_MAX)
        steps.push({ ...at, tool, summary, outcome, ...defined({ duration_ms }) })
    },
    agent_error: ({ data }) => fail(data.where, data.message),
    accepted: (event) => {
      change('accepted', ...event.data.files.map(({ path }) => path))
      accepted.push(event)
    },
    rejected: ({ data }) => change('rejected', ...data.files),
    run_end: ({ data: { reason, summary, failed } }) => {
      end = at
      if (failed || (reason !== 'submitted' && reason !== 'imported')) fail('run', `${reason}: ${summary}`)
    },
  }
  const agent = await readAgentSummary(store, entry, (event) => {
    at = { seq: event.seq, turn: event.turn }
    pending = foldProposal(pending, event)
    byType(handle, event)
  })
  if (agent.outcome === 'damaged') fail('log', agent.summary)
  return {
    ...agent,
    ...(end && agent.outcome !== 'open' ? { end } : {}),
    asked: { goal, words },
    tools: [...tools.values()].sort((a, b) => b.calls - a.calls),
    steps,
    changes: [...changes.values()],
    patches: withSteps ? await patchesOf(store, entry.agent_id, accepted, pending) : [],
    failures,
    models: usage.uses().map((use) => priced(use, prices)),
  }
}

/** What a person took, event by event, and what is still proposed. */
async function patchesOf(
  store: Store,
  agentId: string,
  accepted: readonly EventFor<'accepted'>[],
  pending: Pending,
): Promise<AgentPart['patches']> {
  const contents = new Contents({ store, agentId, shut: true })
  const short = (files: readonly FilePatch[]) => cut(patchText(files), PATCH_CHARS_MAX)
  const patches: Mutable<AgentPart['patches']> = []
  for (const event of accepted)
    patches.push({ what: 'accepted', text: short((await patchOf(event, contents)).files) })
  if (pending.size > 0)
    patches.push({ what: 'proposed', text: short(await proposedPatch(pending.values(), contents)) })
  return patches
}
