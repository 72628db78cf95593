import { writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportHtml } from '../../audit/report/html.ts'
import { makeReport } from '../../audit/report/make.ts'
import { reportMarkdown } from '../../audit/report/markdown.ts'
import type { Report } from '../../audit/report/report.ts'
import type { LinkTo } from '../../audit/report/words.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { defined } from '../../event/json.ts'
import { layoutOf } from '../../store/jsonl/layout.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { sinceWhen } from '../input.ts'
import { folderOf } from '../job.ts'
import { agentMeant, logsOf, newestRun } from '../names.ts'
import { print, progress, remark } from '../output.ts'

export interface ReportCommandOptions extends CommonOptions {
  readonly run?: string
  readonly last?: boolean
  readonly node?: string
  readonly operation?: string
  readonly since?: string
  readonly format?: 'markdown' | 'html' | 'json'
  readonly output?: string
}

/** What was asked, done, changed, failed, and what it cost. 1 when a log is damaged. */
export async function reportCommand(
  agent: string | undefined,
  options: ReportCommandOptions,
): Promise<number> {
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
    await write(rendered(report, options, linksTo(store, folderOf(config, root), options)), options)
    return report.agents.some(({ state }) => state === 'damaged') ? 1 : 0
  })
}

function rendered(report: Report, { json, format }: ReportCommandOptions, linkTo: LinkTo): string {
  if (json || format === 'json')
    return `${JSON.stringify(report, null, process.stdout.isTTY ? 2 : undefined)}\n`
  return format === 'html' ? reportHtml(report, linkTo) : reportMarkdown(report, linkTo)
}

/** Line N of a log is event N: editors and web views of repositories open it there. */
function linksTo(store: Store, folder: string, { format }: ReportCommandOptions): LinkTo {
  if (store.kind !== 'jsonl') return () => undefined
  const layout = layoutOf(folder)
  return (agent_id, seq) => {
    const path = layout.log(agent_id)
    return `${format === 'html' ? pathToFileURL(path).href : relative(process.cwd(), path)}#L${seq}`
  }
}

async function write(text: string, { output }: ReportCommandOptions): Promise<void> {
  if (output === undefined || output === '-') return print(text)
  try {
    await writeFile(output, text)
  } catch (cause) {
    throw new TwotrackError('io', `${output} cannot be written: ${messageOf(cause)}`, { cause })
  }
  remark(`Written to ${output}.`)
}
