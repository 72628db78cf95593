import { relative } from 'node:path'
import { folderOf, withStore } from '../../app/context.ts'
import { agentMeant, logsOf, newestRun } from '../../app/names.ts'
import { makeReport } from '../../audit/report/make.ts'
import { reportMarkdown } from '../../audit/report/markdown.ts'
import type { LinkTo } from '../../audit/report/words.ts'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { layoutOf } from '../../store/jsonl/layout.ts'
import type { CommandWords } from '../command.ts'
import { sinceWhen } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, progress } from '../output.ts'

interface ReportCommandOptions extends CommonOptions {
  readonly run?: string
  readonly last?: boolean
  readonly node?: string
  readonly operation?: string
  readonly since?: string
}

/** What was asked, done, changed, failed, and what it cost. 1 when a log is damaged. */
async function reportCommand(agent: string | undefined, options: ReportCommandOptions): Promise<Found> {
  return withStore(options, async (store, { config, root }) => {
    const { run: run_id, node: node_id, operation, since } = options
    const filter = {
      ...defined({ run_id, node_id, operation }),
      ...(agent === undefined ? {} : { agent_id: await agentMeant(store, agent, {}) }),
      ...(since === undefined ? {} : { since: sinceWhen(since) }),
      ...(options.last ? await newestRun(store) : {}),
    }
    const { currency, prices } = config.report
    const report = await makeReport(store, {
      ...filter,
      prices: { currency, models: prices },
      onLog: progress,
    })
    if (report.agents.length === 0) await logsOf(store, filter) // a run that is not known is told of
    const text = reportMarkdown(report, linksTo(store, folderOf(config, root)))
    const code = report.agents.some(({ outcome }) => outcome === 'damaged') ? 1 : 0
    return { json: report, code, lines: () => [text] }
  })
}

/** Line N of a log is event N: editors and web views of repositories open it there. */
function linksTo(store: Store, folder: string): LinkTo {
  if (store.kind !== 'jsonl') return () => undefined
  const layout = layoutOf(folder)
  return (agent_id, seq) => {
    const path = layout.log(agent_id)
    return `${relative(process.cwd(), path)}#L${seq}`
  }
}

export default {
  takes: '[agent]',
  examples: [
    'report --since 24h',
    'report --run run-7f3a > report.md',
    'report lint#3',
    'report --operation lint --json',
  ],
  options: [
    ['--run <id>', 'only logs of this run'],
    ['--last', 'only logs of the newest run'],
    ['--node <id>', 'only logs of this node'],
    ['--operation <name>', 'only logs of this operation'],
    ['--since <time>', 'only logs that began since a date or within a length of time (12h, 7d)'],
  ],
  call: reportCommand,
} satisfies CommandWords
