import { standingWords, summaryWords } from '../../run/agent-summary.ts'
import { time } from '../visible.ts'
import { type AgentPart, type At, isFailed, type Report, type ReportStep } from './report.ts'
import {
  changeWords,
  costOf,
  costSentence,
  instant,
  money,
  onlyAgent,
  titleOf,
  tokensOf,
  whole,
} from './words.ts'

export type Tone = ReportStep['outcome']

/** A part of a line: words, recorded or our own, a name, how something stands, or an event. */
export type Span =
  | string
  | { readonly code: string }
  | { readonly badge: string; readonly tone: Tone }
  | { readonly agent_id: string; readonly seq: number }

export type Line = readonly Span[]

type Row = readonly (Span | Line)[]

/** What a report says, whatever it is written as. */
export type Block =
  | { readonly kind: 'section'; readonly title: string; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'agent'
      readonly agent: AgentPart
      readonly blocks: readonly Block[]
    }
  | { readonly kind: 'paragraph'; readonly line: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'quote'; readonly text: string }
  /** A column whose name begins with `#` holds numbers. */
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly Row[] }

export const documentTitle = (report: Report): string => {
  const only = onlyAgent(report)
  return only ? `${only.operation}: ${titleOf(only.asked.goal)}` : 'What the agents did'
}

/** Rows of agents, and failed agents that are told of one by one. */
const ALL = { rows: Infinity, failed: Infinity }

/** Everything after the title and the figures. */
export function documentOf(report: Report, most = ALL): Block[] {
  const only = onlyAgent(report)
  if (report.agents.length === 0) return [paragraph('No log is like that.')]
  return [
    ...(only ? agentBlocks(only, report) : manyBlocks(report, most)),
    ...section('Models', modelTable(report)),
  ]
}

const paragraph = (...line: Line): Block => ({ kind: 'paragraph', line })
const list = (items: readonly Line[]): Block[] => (items.length === 0 ? [] : [{ kind: 'list', items }])
const section = (title: string, blocks: readonly Block[]): Block[] =>
  blocks.length === 0 ? [] : [{ kind: 'section', title, blocks }]
const tableBlock = (head: readonly string[], rows: readonly Row[]): Block[] =>
  rows.length === 0 ? [] : [{ kind: 'table', head, rows }]

function manyBlocks(report: Report, most: typeof ALL): Block[] {
  const { agents, currency } = report
  const failed = agents.filter(isFailed)
  return [
    ...section(
      `Failed (${whole(failed.length)})`,
      list([
        ...failed.slice(0, most.failed).map(failedLine),
        ...(failed.length > most.failed ? [[`… and ${whole(failed.length - most.failed)} more`]] : []),
      ]),
    ),
    ...section(`Agents (${whole(agents.length)})`, [
      ...tableBlock(
        AGENT_COLUMNS,
        agents.slice(0, most.rows).map((agent) => agentRow(agent, currency)),
      ),
      ...(agents.length > most.rows
        ? [
            paragraph(
              `… and ${whole(agents.length - most.rows)} more: `,
              { code: '--json' },
              ' has all of them.',
            ),
          ]
        : []),
    ]),
    ...agents.flatMap((agent): Block[] =>
      agent.steps.length === 0 ? [] : [{ kind: 'agent', agent, blocks: agentBlocks(agent, report) }],
    ),
  ]
}

const AGENT_COLUMNS = 'state agent node asked #turns #calls #failed #tokens #cost #changed #time'.split(' ')

const agentRow = (agent: AgentPart, currency: string): Row => [
  standing(agent),
  { code: agent.agent_id },
  agent.node_id,
  titleOf(agent.asked.goal, 60),
  whole(agent.turns),
  whole(agent.calls),
  whole(agent.failed_calls),
  whole(tokensOf(agent.models)),
  costOf(agent.models, currency),
  whole(agent.changes.length),
  time(agent.wall_ms),
]

function failedLine(agent: AgentPart): Line {
  const last = agent.failures.at(-1)
  const why: Line = last ? [last.message, ' (', eventOf(agent, last), ')'] : [agent.summary]
  return [{ code: agent.agent_id }, ', ', standing(agent), ': ', ...why]
}

const standing = (agent: AgentPart): Span => ({
  badge: standingWords(agent.standing),
  tone: isFailed(agent) ? 'error' : agent.outcome === 'open' ? 'partial' : 'success',
})

const eventOf = ({ agent_id }: AgentPart, { seq }: At): Span => ({ agent_id, seq })

function agentBlocks(agent: AgentPart, { currency }: Report): Block[] {
  const { agent_id, asked, changes, failures, tools, steps } = agent
  const at = (place: At) => eventOf(agent, place)
  return [
    paragraph(
      ...['Agent ', { code: agent_id }, ' of run ', { code: agent.run_id }, ' on ', { code: agent.node_id }],
      `, from ${instant(agent.created)} to ${instant(agent.last)} UTC. `,
      ...[{ code: `twotrack show ${agent_id} --event N` }, ' shows event #N.'],
    ),
    ...section('Asked', [
      { kind: 'quote', text: asked.goal },
      ...asked.words.flatMap((words): Block[] => [
        paragraph('A person (', at(words), '):'),
        { kind: 'quote', text: words.text },
      ]),
    ]),
    ...section('Done', [
      agent.outcome === 'open'
        ? paragraph('It is ', standing(agent), ': killed, or still at work.')
        : paragraph(
            'It ended as ',
            standing(agent),
            ...(agent.end ? [' (', at(agent.end), ')'] : []),
            ': ',
            summaryWords(agent),
          ),
      ...list(
        tools.map(({ tool, calls, failed }) => [
          tool,
          `: ${whole(calls)}${failed > 0 ? `, ${whole(failed)} failed` : ''}`,
        ]),
      ),
    ]),
    ...section('Changed', [
      ...list(
        changes.map((change) => [{ code: change.path }, `: ${changeWords(change)} (`, at(change), ')']),
      ),
      ...agent.patches.flatMap(({ what, text }): Block[] => [
        paragraph(what === 'accepted' ? 'Accepted:' : 'Proposed, and not decided about:'),
        { kind: 'quote', text },
      ]),
    ]),
    ...section(
      'Failed',
      list(failures.map((one) => [`turn ${one.turn}, `, one.where, ': ', one.message, ' (', at(one), ')'])),
    ),
    ...section('Cost', [paragraph(costSentence(agent, currency))]),
    ...section(
      'Steps',
      tableBlock(
        ['#turn', 'event', 'outcome', 'tool', 'what came of it'],
        steps.map(({ turn, seq, outcome, tool, summary }) => [
          String(turn),
          { agent_id, seq },
          { badge: outcome, tone: outcome },
          tool,
          summary,
        ]),
      ),
    ),
  ]
}

const modelTable = ({ models, currency }: Report): Block[] =>
  tableBlock(
    ['model', '#requests', '#prompt tokens', '#answer tokens', '#time', '#cost'],
    models.map(({ model, requests, prompt_tokens, completion_tokens, counted_here, answer_ms, cost }) => [
      model,
      whole(requests),
      `${whole(prompt_tokens)}${counted_here > 0 ? ' (our count)' : ''}`,
      whole(completion_tokens),
      time(answer_ms),
      cost === undefined ? 'no price' : money(cost, currency),
    ]),
  )
