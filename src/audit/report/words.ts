import { time, visibleLine } from '../visible.ts'
import type { AgentPart, ModelUse, Report } from './report.ts'

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

export const subjectOf = ({ filter }: Report): string =>
  Object.entries(filter)
    .map(([name, value]) => `${name.replace(/_id$/, '')} ${value}`)
    .join(', ') || 'everything that is recorded'

type Figure = readonly [name: string, value: string, note: string]

/** The figures at the top: a name, a value, and what to know of it. */
export function figures({ totals, models, currency, unpriced }: Report): Figure[] {
  const { agents, failed, open, prompt_tokens, completion_tokens, answer_ms, tool_ms, cost } = totals
  const without = unpriced.slice(0, 3).map(visibleLine).join(', ') + (unpriced.length > 3 ? ', …' : '')
  const costs: Figure[] = [
    [
      'tokens',
      whole(prompt_tokens + completion_tokens),
      `${whole(prompt_tokens)} in prompts, ${whole(completion_tokens)} in answers`,
    ],
    ['time', time(answer_ms + tool_ms), `models ${time(answer_ms)}, tools ${time(tool_ms)}`],
    [
      'cost',
      cost === undefined ? 'not known' : money(cost, currency),
      without === '' ? 'by your price table' : `no price for ${without}`,
    ],
  ]
  return [
    [
      'agents',
      whole(agents),
      `${whole(agents - failed - open)} done, ${whole(failed)} failed, ${whole(open)} open`,
    ],
    ['calls', whole(totals.calls), `${whole(totals.failed_calls)} failed`],
    ['turns', whole(totals.turns), counted(totals.events, 'event')],
    ['files changed', whole(totals.files_changed), 'as the logs say'],
    // Logs that ask no model, such as recordings of other harnesses, cost nothing that could be told.
    ...(models.length === 0 ? [] : costs),
  ]
}

export const costOf = (uses: readonly ModelUse[], currency: string): string => {
  const costs = uses.flatMap(({ cost }) => cost ?? [])
  const sum = costs.reduce((all, cost) => all + cost, 0)
  return costs.length === 0 ? '' : money(sum, currency)
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
