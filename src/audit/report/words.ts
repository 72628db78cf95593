import { time } from '../time.ts'
import { visibleLine } from '../visible.ts'
import type { AgentPart, ModelUse, Report, ReportFilter } from './report.ts'

/** Where an event can be looked at; undefined where there is no such place. */
export type LinkTo = (agent_id: string, seq: number) => string | undefined

export const noLinks: LinkTo = () => undefined

export const whole = (count: number): string => Math.round(count).toLocaleString('en-US')

const counted = (count: number, name: string): string => `${whole(count)} ${name}${count === 1 ? '' : 's'}`

export const money = (amount: number, currency: string): string =>
  `${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 6 : 2 })} ${currency}`

export const instant = (iso: string): string => iso.replace('T', ' ').slice(0, 19)

/** The beginning of a goal, as a title. */
export const titleOf = (goal: string, chars = 100): string => {
  const line = visibleLine(goal)
  return line.length > chars ? `${line.slice(0, chars - 1).trimEnd()}…` : line
}

/** The only agent of a report, told in full. */
export const onlyAgent = ({ agents }: Report): AgentPart | undefined =>
  agents.length === 1 ? agents[0] : undefined

export function subjectOf({ filter }: Report): string {
  const parts = (Object.entries(filter) as [keyof ReportFilter, string][]).map(
    ([name, value]) => `${filterWords[name]} ${value}`,
  )
  return parts.length === 0 ? 'everything that is recorded' : parts.join(', ')
}

const filterWords: Readonly<Record<keyof ReportFilter, string>> = {
  agent_id: 'agent',
  run_id: 'run',
  node_id: 'node',
  operation: 'operation',
  since: 'since',
}

interface Figure {
  readonly name: string
  readonly value: string
  readonly note: string
}

/** The figures at the top: a name, a value, and what to know of it. */
export function figures(report: Report): Figure[] {
  const { totals, models } = report
  const done = totals.agents - totals.failed - totals.open
  return [
    {
      name: 'agents',
      value: whole(totals.agents),
      note: `${whole(done)} done, ${whole(totals.failed)} failed, ${whole(totals.open)} open`,
    },
    { name: 'calls', value: whole(totals.calls), note: `${whole(totals.failed_calls)} failed` },
    { name: 'turns', value: whole(totals.turns), note: counted(totals.events, 'event') },
    { name: 'files changed', value: whole(totals.files_changed), note: 'as the logs say' },
    ...(models.length === 0 ? [] : costFigures(report)),
  ]
}

/** Nothing to say of logs that ask no model: recordings of other harnesses. */
function costFigures({ totals, currency, unpriced }: Report): Figure[] {
  const { prompt_tokens, completion_tokens, cost } = totals
  return [
    {
      name: 'tokens',
      value: whole(prompt_tokens + completion_tokens),
      note: `${whole(prompt_tokens)} in prompts, ${whole(completion_tokens)} in answers`,
    },
    {
      name: 'time',
      value: time(totals.answer_ms + totals.tool_ms),
      note: `models ${time(totals.answer_ms)}, tools ${time(totals.tool_ms)}`,
    },
    {
      name: 'cost',
      value: cost === undefined ? 'not known' : money(cost, currency),
      note:
        unpriced.length === 0
          ? 'by your price table'
          : `no price for ${unpriced.slice(0, 3).map(visibleLine).join(', ')}${unpriced.length > 3 ? ', …' : ''}`,
    },
  ]
}

export const costOf = (uses: readonly ModelUse[], currency: string): string => {
  const costs = uses.flatMap(({ cost }) => cost ?? [])
  return costs.length === 0
    ? ''
    : money(
        costs.reduce((sum, cost) => sum + cost, 0),
        currency,
      )
}

export const tokensOf = (uses: readonly ModelUse[]): number =>
  uses.reduce((sum, use) => sum + use.prompt_tokens + use.completion_tokens, 0)

/** `edited 3 times`, `accepted`. */
export const changeWords = ({ kind, times }: { kind: string; times: number }): string =>
  times > 1 && kind !== 'accepted' && kind !== 'rejected' ? `${kind} ${times} times` : kind

/** What one agent took. */
export function costSentence({ models, tool_ms, wall_ms }: AgentPart, currency: string): string {
  const cost = costOf(models, currency)
  const parts = [
    ...(models.length > 0 ? [`${whole(tokensOf(models))} tokens`] : []),
    ...(cost === '' ? [] : [cost]),
    ...(tool_ms > 0 ? [`${time(tool_ms)} in tools`] : []),
    `${time(wall_ms)} from the first event to the last`,
  ]
  return `${parts.join(', ')}.`
}
