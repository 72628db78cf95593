import { relative } from 'node:path'
import { makeReport } from '../audit/report/make.ts'
import type { LinkTo } from '../audit/report/markdown.ts'
import type { Report } from '../audit/report/report.ts'
import { defined } from '../core/event/json.ts'
import { layoutOf } from '../store/jsonl/layout.ts'
import { type ProjectOptions, withStore } from './context.ts'
import { agentMeant, logsOf, newestRun } from './names.ts'

/** Which logs a report is about. */
export interface ReportAbout {
  readonly agent?: string
  readonly run?: string
  readonly last?: boolean
  readonly node?: string
  readonly operation?: string
  /** As an ISO date. */
  readonly since?: string
}

/** What was asked, done, changed, failed, and what it cost; and where its events can be looked at. */
export const reportOn = (
  options: ProjectOptions,
  { agent, last, run: run_id, node: node_id, operation, since }: ReportAbout,
  onLog: (done: number, all: number) => void,
): Promise<{ readonly report: Report; readonly linkTo: LinkTo }> =>
  withStore(options, async (store, { config, folder }) => {
    const agent_id = agent === undefined ? undefined : await agentMeant(store, agent, {})
    const filter = {
      ...defined({ run_id, node_id, operation, agent_id, since }),
      ...(last ? await newestRun(store) : {}),
    }
    const { currency, prices } = config.report
    const report = await makeReport(store, { ...filter, prices: { currency, models: prices }, onLog })
    if (report.agents.length === 0) await logsOf(store, filter) // a run that is not known is told of
    if (store.kind !== 'jsonl') return { report, linkTo: () => undefined }
    // Line N of a log is event N: editors and web views of repositories open it there.
    const layout = layoutOf(folder)
    return { report, linkTo: (id, seq) => `${relative(process.cwd(), layout.log(id))}#L${seq}` }
  })
