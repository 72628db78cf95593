import { type ReportAbout, reportOn } from '../../app/report.ts'
import { reportMarkdown } from '../../audit/report/markdown.ts'
import { defined } from '../../core/event/json.ts'
import type { CommandWords } from '../command.ts'
import { sinceWhen } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, progress } from '../output.ts'

/** What was asked, done, changed, failed, and what it cost. 1 when a log is damaged. */
async function reportCommand(
  agent: string | undefined,
  options: CommonOptions & ReportAbout,
): Promise<Found> {
  const since = options.since === undefined ? undefined : sinceWhen(options.since)
  const { report, linkTo } = await reportOn(options, { ...options, ...defined({ agent, since }) }, progress)
  return {
    json: report,
    code: report.agents.some(({ outcome }) => outcome === 'damaged') ? 1 : 0,
    lines: () => [reportMarkdown(report, linkTo)],
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
