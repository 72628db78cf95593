import { listAgents } from '../../app/agents.ts'
import { withStore } from '../../app/context.ts'
import { agentMeant, newestLog } from '../../app/names.ts'
import { defined } from '../../core/event/json.ts'
import { standingWords } from '../../run/agent-summary.ts'
import { type CommandWords, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, remark, self, table, typed } from '../output.ts'

interface RunsOptions extends CommonOptions {
  readonly node?: string
  readonly run?: string
  readonly operation?: string
  readonly last?: boolean
  readonly before?: string
  readonly limit?: number
}

/** Lists the agents that began last and what became of them, newest last; others by pages. */
async function runsCommand(options: RunsOptions): Promise<Found> {
  return withStore(options, async (store) => {
    const { node: node_id, run: run_id, operation, last, before: given, limit: most } = options
    const from = given === undefined ? undefined : await agentMeant(store, given, {})
    const asked = defined({ node_id, run_id, operation, last, before: from, most })
    const { agents, before } = await listAgents(store, asked)
    if (before !== undefined) remark(paint('dim', `Older ones: ${self} runs --before ${typed(before)}`))
    const isEmpty = agents.length === 0 && !(await newestLog(store))
    const none = isEmpty
      ? `No runs recorded here. Begin with: ${self} run lint, or with a session of a harness that has the hook.`
      : `No agent fits. "${self} runs" lists them all.`
    const rows = agents.map((agent) => {
      const { name, node_id, proposed, last, standing } = agent
      const proposes = proposed > 0 ? count(proposed, 'file') : ''
      return [name, standingWords(standing), proposes, last.slice(0, 16).replace('T', ' '), node_id]
    })
    return {
      json: agents,
      code: agents.some(({ outcome }) => outcome === 'damaged') ? 1 : 0,
      lines: () => [
        rows.length > 0
          ? table(['agent', 'outcome', 'proposes', 'last event', 'node'], rows)
          : paint('dim', none),
      ],
    }
  })
}

export default {
  examples: [
    'runs',
    'runs --last',
    'runs --before lint#1',
    'runs --operation lint --json',
    'runs --node src/app.py:App.run',
  ],
  options: [
    ['--node <id>', 'only logs of this node'],
    ['--run <id>', 'only logs of this run, or of the run of this agent: --run lint#3'],
    ['--last', 'only logs of the newest run'],
    ['--operation <name>', 'only logs of this operation'],
    ['--before <agent>', 'those that began before this one'],
    ['--limit <n>', 'at most so many (default: 100)', wholeNumber],
  ],
  call: runsCommand,
} satisfies CommandWords
