import { agentFor, type RunOptions } from '../../app/environment.ts'
import { type RunStart, startRun } from '../../app/run-jobs.ts'
import { jobsFor } from '../../app/targets.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { rejectProposal } from '../../run/accept.ts'
import type { AgentRun } from '../../run/run.ts'
import { type CommandWords, RUN } from '../command.ts'
import { terminal } from '../front.ts'
import { type Found, table } from '../output.ts'
import { runWatched } from '../perform-run.ts'

const MODES: readonly AgentRun['context'][] = ['packet', 'messages', 'both']

interface Compared {
  readonly context: AgentRun['context']
  readonly agent_id: string
  readonly end: string
  readonly turns: number
  /** Prompt tokens of each request, in order. */
  readonly prompt_tokens: readonly number[]
}

async function once(
  start: RunStart,
  operation: string,
  path: string,
  context: Compared['context'],
  options: RunOptions,
): Promise<Compared> {
  const { project, trust, store, environment, suffix, front } = start
  const agent = await agentFor(operation, project, trust, options, front)
  const [job] = await jobsFor(agent, project, [path], suffix, front)
  if (!job) throw new TwotrackError('missing', `${operation} finds nothing to work on in ${path}.`)
  const {
    done: [done],
  } = await runWatched(start, [{ ...job, isNamed: true }], {})
  // Three proposals of the same are of no use to anyone.
  const log = { ...environment, agent_id: job.agent_id }
  if ((done?.changes.length ?? 0) > 0) await rejectProposal(log, { reason: 'only compared', by: 'compare' })
  return {
    context,
    agent_id: job.agent_id,
    end: done?.stop.reason ?? 'failed',
    turns: done?.turns ?? 0,
    prompt_tokens: await promptTokens(store, job.agent_id),
  }
}

/** Runs the same task with the packet, with the transcript, and with both, and shows what each costs. */
async function compareCommand(operation: string, path: string, options: RunOptions): Promise<Found> {
  const rows: Compared[] = []
  for (const context of MODES)
    rows.push(
      await startRun({ ...options, context }, terminal, (start) =>
        once(start, operation, path, context, options),
      ),
    )
  const cells = rows.map(({ context, end, turns, prompt_tokens }) => {
    const all = prompt_tokens.reduce((sum, tokens) => sum + tokens, 0)
    return [context, end, turns, prompt_tokens[0] ?? 0, prompt_tokens.at(-1) ?? 0, all]
  })
  return {
    json: rows,
    code: rows.every(({ end }) => end === 'submitted') ? 0 : 1,
    lines: () => [table(['context', 'end', 'turns', 'first prompt', 'last prompt', 'all prompts'], cells)],
  }
}

async function promptTokens(store: Store, agentId: string): Promise<number[]> {
  const tokens: number[] = []
  for await (const event of store.read(agentId))
    if (event.type === 'model_request' && event.data.purpose === 'turn') tokens.push(event.data.prompt_tokens)
  return tokens
}

export default {
  takes: '<agent> <path>',
  examples: ['compare lint src/app.py'],
  options: RUN,
  call: compareCommand,
} satisfies CommandWords
