import { time } from '../time.ts'
import { visible, visibleLine } from '../visible.ts'
import type { AgentPart, At, Report, ReportStep } from './report.ts'
import {
  changeWords,
  costOf,
  costSentence,
  figures,
  instant,
  type LinkTo,
  money,
  noLinks,
  onlyAgent,
  subjectOf,
  titleOf,
  tokensOf,
  whole,
} from './words.ts'

/** How many failed agents are told of one by one. */
const FAILED_SHOWN_MAX = 50
const ROWS_MAX = 1_000

const marks: Readonly<Record<ReportStep['outcome'], string>> = { success: '✓', partial: '~', error: '✗' }

/** A report as Markdown. Whatever a log says is text in it: no heading, table, image or HTML comes of it. */
export function reportMarkdown(report: Report, linkTo: LinkTo = noLinks): string {
  const only = onlyAgent(report)
  return `${[
    `# ${only ? `${only.operation}: ${text(titleOf(only.asked.goal))}` : 'What the agents did'}`,
    '',
    `Report on ${text(subjectOf(report))}, made ${instant(report.made)} UTC.`,
    '',
    ...table(
      ['', '', ''],
      figures(report).map(({ name, value, note }) => [`**${name}**`, value, text(note)]),
    ),
    ...(only ? agentSection(only, report, linkTo) : manySections(report, linkTo)),
    ...modelSection(report),
  ]
    .join('\n')
    .trimEnd()}\n`
}

function manySections(report: Report, linkTo: LinkTo): string[] {
  const { agents, operations } = report
  if (agents.length === 0) return ['', 'No log is like that.']
  const failed = agents.filter((agent) => agent.failed)
  const detailed = agents.filter(({ steps }) => steps.length > 0)
  return [
    ...(operations.length > 1
      ? heading(
          'Operations',
          table(
            ['operation', 'agents', 'failed'],
            operations.map((row) => [text(row.operation), whole(row.agents), whole(row.failed)]),
          ),
        )
      : []),
    ...(failed.length > 0
      ? heading(`Failed (${whole(failed.length)})`, [
          ...failed.slice(0, FAILED_SHOWN_MAX).map((agent) => failedLine(agent, linkTo)),
          ...(failed.length > FAILED_SHOWN_MAX
            ? [`- … and ${whole(failed.length - FAILED_SHOWN_MAX)} more`]
            : []),
        ])
      : []),
    ...heading(`Agents (${whole(agents.length)})`, [
      ...table(
        ['agent', 'node', 'state', 'turns', 'calls', 'failed', 'tokens', 'cost', 'changed'],
        agents
          .slice(0, ROWS_MAX)
          .map((agent) => [
            code(agent.agent_id),
            text(agent.node_id),
            agent.state,
            whole(agent.turns),
            whole(agent.calls),
            whole(agent.failed_calls),
            whole(tokensOf(agent.models)),
            costOf(agent.models, report.currency),
            whole(agent.changes.length),
          ]),
      ),
      ...(agents.length > ROWS_MAX
        ? ['', `… and ${whole(agents.length - ROWS_MAX)} more: \`--json\` has all of them.`]
        : []),
    ]),
    ...detailed.flatMap((agent) => [
      '',
      `## ${code(agent.agent_id)}`,
      ...agentSection(agent, report, linkTo, '###'),
    ]),
  ]
}

function failedLine(agent: AgentPart, linkTo: LinkTo): string {
  const { agent_id, failures, state, summary } = agent
  const last = failures.at(-1)
  const why = last ? `${text(last.message)} ${reference(agent_id, last, linkTo)}` : text(summary)
  return `- ${code(agent_id)}, ${state}: ${why}`
}

function agentSection(agent: AgentPart, report: Report, linkTo: LinkTo, level = '##'): string[] {
  const at = (place: At) => reference(agent.agent_id, place, linkTo)
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `${level} ${title}`, '', ...lines]
  const { asked, steps, changes, failures, tools } = agent
  return [
    '',
    `Agent ${code(agent.agent_id)} of run ${code(agent.run_id)} on ${code(agent.node_id)}, from ${instant(agent.created)} ` +
      `to ${instant(agent.last)} UTC. \`twotrack show ${visibleLine(agent.agent_id)} --event N\` shows event #N.`,
    ...section('Asked', [
      ...quoted(asked.goal),
      ...asked.words.flatMap((words) => ['', `A person ${at(words)}:`, '', ...quoted(words.text)]),
    ]),
    ...section('Done', [
      `${agent.state === 'open' ? 'It has not ended.' : `It ended as ${agent.state}${agent.end ? ` ${at(agent.end)}` : ''}: ${text(agent.summary)}`}`,
      '',
      ...tools.map(
        ({ tool, calls, failed }) =>
          `- ${text(tool)}: ${whole(calls)}${failed > 0 ? `, ${whole(failed)} failed` : ''}`,
      ),
    ]),
    ...section(
      'Changed',
      changes.map((change) => `- ${code(change.path)}: ${changeWords(change)} ${at(change)}`),
    ),
    ...section('Failed', [
      ...failures.map(
        (failure) =>
          `- turn ${failure.turn}, ${text(failure.where)}: ${text(failure.message)} ${at(failure)}`,
      ),
    ]),
    ...section('Cost', [costSentence(agent, report.currency)]),
    ...section(
      'Steps',
      steps.length === 0
        ? []
        : table(
            ['turn', 'event', '', 'tool', 'what came of it'],
            steps.map((step) => [
              String(step.turn),
              bare(agent.agent_id, step, linkTo),
              marks[step.outcome],
              text(step.tool),
              text(step.summary),
            ]),
          ),
    ),
  ]
}

const modelSection = ({ models, currency }: Report): string[] =>
  models.length === 0
    ? []
    : heading(
        'Models',
        table(
          ['model', 'requests', 'prompt tokens', 'answer tokens', 'time', 'cost'],
          models.map((use) => [
            text(use.model),
            whole(use.requests),
            `${whole(use.prompt_tokens)}${use.counted_here > 0 ? ' (our count)' : ''}`,
            whole(use.completion_tokens),
            time(use.answer_ms),
            use.cost === undefined ? 'no price' : money(use.cost, currency),
          ]),
        ),
      )

const heading = (title: string, lines: readonly string[]): string[] => ['', `## ${title}`, '', ...lines]

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

const reference = (agent_id: string, at: At, linkTo: LinkTo): string => `(${bare(agent_id, at, linkTo)})`

function bare(agent_id: string, { seq }: At, linkTo: LinkTo): string {
  const link = linkTo(agent_id, seq)
  return link === undefined ? `#${seq}` : `[#${seq}](<${link.replace(/[<>\n]/g, encodeURIComponent)}>)`
}

/** One line of recorded text that Markdown leaves as it is. */
const text = (recorded: string): string => visibleLine(recorded).replace(/[\\`*[\]<>|&~]|\b_|_\b/g, '\\$&')

/** Recorded text between back quotes; those inside it would end it. */
const code = (recorded: string): string =>
  `\`${visibleLine(recorded).replaceAll('`', 'ˋ').replaceAll('|', '\\|')}\``

/** Several lines, shown as they are: an indented block ends with its last line. */
const quoted = (recorded: string): string[] =>
  visible(recorded)
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
