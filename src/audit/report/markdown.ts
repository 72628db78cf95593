import { countWords, standingWords, summaryWords } from '../../run/agent-summary.ts'
import { time, visible, visibleLine } from '../visible.ts'
import { costOf, EMBEDDED } from './cost.ts'
import { type AgentPart, isFailed, type ModelUse, type Report } from './report.ts'

/** Where an event can be looked at; undefined where there is no such place. */
export type LinkTo = (agentId: string, seq: number) => string | undefined

/** More of them are not read in Markdown; JSON has all. */
const ROWS_MAX = 1_000
const FAILED_MAX = 50

/** A report as Markdown. Whatever a log says is text in it: no heading, table, image or HTML comes of it. */
export function reportMarkdown(
  report: Report,
  linkTo: (agentId: string, seq: number) => string | undefined = () => undefined,
): string {
  const { agents, filter, made } = report
  const [only, ...others] = agents
  const one = others.length === 0 ? only : undefined
  const title = one ? `${one.operation}: ${titleOf(one.asked.goal)}` : 'What the agents did'
  const subject = Object.entries(filter).map(([name, value]) => `${name.replace(/_id$/, '')} ${value}`)
  return `${[
    `# ${text(title)}`,
    `Report on ${text(subject.join(', ') || 'everything that is recorded')}, made ${instant(made)} UTC.`,
    figures(report),
    ...(agents.length === 0 ? ['No agent fits.'] : []),
    ...(one ? agentParts(one, report.currency, linkTo, '##') : only ? manyParts(report, linkTo) : []),
    ...section('## Models', modelTable(report)),
  ].join('\n\n')}\n`
}

/** The figures at the top: a name, a value, and what to know of it. */
function figures({ totals, models, currency }: Report): string {
  const { agents, prompt_tokens, completion_tokens, answer_ms, tool_ms } = totals
  const unpriced = models.filter(({ cost }) => cost === undefined).map(({ model }) => model)
  const without = unpriced.slice(0, 3).join(', ') + (unpriced.length > 3 ? ', …' : '')
  const tokens = `${whole(prompt_tokens)} in prompts, ${whole(completion_tokens)} in answers`
  // Logs that ask no model, such as recordings of other harnesses, cost nothing that could be told.
  const costs = [
    ['**tokens**', whole(prompt_tokens + completion_tokens), tokens],
    ['**time**', time(answer_ms + tool_ms), `models ${time(answer_ms)}, tools ${time(tool_ms)}`],
    [
      '**cost**',
      money(totals.cost, currency) || 'not known',
      text(without === '' ? pricedBy(models) : `no price for ${without}`),
    ],
  ]
  return table(
    ['', '', ''],
    [
      ['**agents**', whole(agents), countWords(totals)],
      ['**calls**', whole(totals.calls), `${whole(totals.failed_calls)} failed`],
      ['**turns**', whole(totals.turns), `${whole(totals.events)} event${totals.events === 1 ? '' : 's'}`],
      ['**files changed**', whole(totals.files_changed), 'as the logs say'],
      ...(models.length === 0 ? [] : costs),
    ],
  )
}

const pricedBy = (models: readonly ModelUse[]): string =>
  models.every(({ model }) => model === EMBEDDED)
    ? 'no model was asked but the embedded one'
    : 'by your price table'

function manyParts(report: Report, linkTo: LinkTo): string[] {
  const { agents, currency } = report
  const failed = agents.filter(isFailed)
  const lines = failed.slice(0, FAILED_MAX).map((agent) => {
    const last = agent.failures.at(-1)
    const why = last ? `${text(last.message)} (${link(agent, last.seq, linkTo)})` : text(agent.summary)
    return `${code(agent.agent_id)}, ${standing(agent)}: ${why}`
  })
  const more = failed.length - lines.length
  const rows = agents.slice(0, ROWS_MAX).map((agent) => agentRow(agent, currency))
  const left = agents.length - rows.length
  const columns = 'state agent node asked turns calls failed tokens cost changed time'.split(' ')
  return [
    ...section(
      `## Failed (${whole(failed.length)})`,
      list([...lines, ...(more > 0 ? [`… and ${more} more`] : [])]),
    ),
    `## Agents (${whole(agents.length)})`,
    table(columns, rows),
    ...(left > 0 ? [`… and ${whole(left)} more: \`--json\` has all of them.`] : []),
    ...agents.flatMap((agent) =>
      agent.steps.length === 0
        ? []
        : [`## ${code(agent.agent_id)}`, ...agentParts(agent, currency, linkTo, '###')],
    ),
  ]
}

const agentRow = (agent: AgentPart, currency: string): string[] => [
  standing(agent),
  code(agent.agent_id),
  text(agent.node_id),
  text(titleOf(agent.asked.goal, 60)),
  ...[agent.turns, agent.calls, agent.failed_calls, tokensOf(agent.models)].map(whole),
  money(costOf(agent.models), currency),
  whole(agent.changes.length),
  agent.wall_ms > 0 ? time(agent.wall_ms) : '',
]

function agentParts(agent: AgentPart, currency: string, linkTo: LinkTo, level: string): string[] {
  const { agent_id, run_id, node_id, asked, end, failures, tools, steps, patches } = agent
  const at = ({ seq }: { readonly seq: number }) => `(${link(agent, seq, linkTo)})`
  const open = `It is ${standing(agent)}: killed, or still at work.`
  const ended = `It ended as ${standing(agent)}${end ? ` ${at(end)}` : ''}: ${text(summaryWords(agent))}`
  const calls = tools.map(
    ({ tool, calls, failed }) =>
      `${text(tool)}: ${whole(calls)}${failed > 0 ? `, ${whole(failed)} failed` : ''}`,
  )
  const changes = agent.changes.map((one) => `${code(one.path)}: ${changeWords(one)} ${at(one)}`)
  const failed = failures.map(
    (one) => `turn ${one.turn}, ${text(one.where)}: ${text(one.message)} ${at(one)}`,
  )
  const rows = steps.map(({ turn, seq, outcome, tool, summary }) => {
    return [String(turn), link(agent, seq, linkTo), MARKS[outcome], text(tool), text(summary)]
  })
  return [
    `Agent ${code(agent_id)} of run ${code(run_id)} on ${code(node_id)}, from ${instant(agent.created)} to ${instant(agent.last)} UTC. ${code(`twotrack show ${agent_id} --event N`)} shows event #N.`,
    ...section(`${level} Asked`, [
      quoted(asked.goal),
      ...asked.words.flatMap((words) => [`A person ${at(words)}:`, quoted(words.text)]),
    ]),
    ...section(`${level} Done`, [agent.outcome === 'open' ? open : ended, ...list(calls)]),
    ...section(`${level} Changed`, [
      ...list(changes),
      ...patches.flatMap((patch) => [
        patch.what === 'accepted' ? 'Accepted:' : 'Proposed, and not decided about:',
        quoted(patch.text),
      ]),
    ]),
    ...section(`${level} Failed`, list(failed)),
    ...section(`${level} Cost`, costSentences(agent, currency)),
    ...section(
      `${level} Steps`,
      rows.length === 0 ? [] : [table(['turn', 'event', 'outcome', 'tool', 'what came of it'], rows)],
    ),
  ]
}

function costSentences({ models, tool_ms, wall_ms }: AgentPart, currency: string): string[] {
  const parts = [
    models.length > 0 && `${whole(tokensOf(models))} tokens`,
    money(costOf(models), currency),
    tool_ms > 0 && `${time(tool_ms)} in tools`,
    wall_ms > 0 && `${time(wall_ms)} from the first event to the last`,
  ].filter(Boolean)
  return parts.length === 0 ? [] : [`${parts.join(', ')}.`]
}

function modelTable({ models, currency }: Report): string[] {
  const rows = models.map((use) => [
    text(use.model),
    whole(use.requests),
    `${whole(use.prompt_tokens)}${use.counted_here > 0 ? ' (our count)' : ''}`,
    whole(use.completion_tokens),
    time(use.answer_ms),
    money(use.cost, currency) || 'no price',
  ])
  const head = ['model', 'requests', 'prompt tokens', 'answer tokens', 'time', 'cost']
  return rows.length === 0 ? [] : [table(head, rows)]
}

/** A heading and what stands below it; nothing where that is nothing. */
const section = (title: string, parts: readonly string[]): string[] =>
  parts.length === 0 ? [] : [title, ...parts]
const list = (items: readonly string[]): string[] =>
  items.length === 0 ? [] : [items.map((item) => `- ${item}`).join('\n')]

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

const MARKS = { success: '✓', partial: '~', error: '✗' } as const
const standing = (agent: AgentPart): string => text(standingWords(agent.standing))

function link({ agent_id }: AgentPart, seq: number, linkTo: LinkTo): string {
  const to = linkTo(agent_id, seq)
  return to === undefined ? `#${seq}` : `[#${seq}](<${to.replace(/[<>\n]/g, encodeURIComponent)}>)`
}

/** One line of recorded text that Markdown leaves as it is. */
const text = (recorded: string): string => visibleLine(recorded).replace(/[\\`*[\]<>|&~]|\b_|_\b/g, '\\$&')
/** Recorded text between back quotes; those inside it would end it. */
const code = (recorded: string): string =>
  `\`${visibleLine(recorded).replaceAll('`', 'ˋ').replaceAll('|', '\\|')}\``
/** An indented block shows lines as they are, and ends with the last of them. */
const quoted = (recorded: string): string => visible(recorded).trimEnd().replace(/^/gm, '    ')

const whole = (count: number): string => Math.round(count).toLocaleString('en-US')
const instant = (iso: string): string => iso.replace('T', ' ').slice(0, 19)
const money = (amount: number | undefined, currency: string): string => {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: (amount ?? 1) < 1 ? 6 : 2 }
  return amount === undefined ? '' : `${amount.toLocaleString('en-US', digits)} ${currency}`
}
const tokensOf = (uses: readonly ModelUse[]): number =>
  uses.reduce((sum, use) => sum + use.prompt_tokens + use.completion_tokens, 0)

/** `edited 3 times`, `accepted`. */
const changeWords = ({ kind, times }: AgentPart['changes'][number]): string =>
  times > 1 && kind !== 'accepted' && kind !== 'rejected' ? `${kind} ${times} times` : kind

function titleOf(goal: string, chars = 100): string {
  const line = visibleLine(goal)
  return line.length > chars ? `${line.slice(0, chars - 1).trimEnd()}…` : line
}
