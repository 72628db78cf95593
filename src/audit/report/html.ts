import { time } from '../time.ts'
import { visible, visibleLine } from '../visible.ts'
import type { AgentPart, At, Report } from './report.ts'
import { style } from './style.ts'
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

/**
 * A report as one HTML file: no script, nothing loaded from elsewhere, and everything that a log says escaped. An
 * event's number leads to its step here, or to the place that `linkTo` gives.
 */
export function reportHtml(report: Report, linkTo: LinkTo = noLinks): string {
  const only = onlyAgent(report)
  const title = only ? `${only.operation}: ${titleOf(only.asked.goal)}` : 'What the agents did'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${text(title)}</h1>
<p class="quiet">Report on ${text(subjectOf(report))}, made ${instant(report.made)} UTC</p>
</header>
${figureCards(report)}
${report.agents.length === 0 ? '<p>No log is like that.</p>' : only ? agentBody(only, 0, report, linkTo) : manyBodies(report, linkTo)}
${modelTable(report)}
<footer class="quiet">#N is event N of a log: <code>twotrack show AGENT --event N</code></footer>
</body>
</html>
`
}

const figureCards = (report: Report): string =>
  `<dl class="figures">${figures(report)
    .map(
      ({ name, value, note }) =>
        `<div><dt>${text(name)}</dt><dd>${text(value)}</dd><dd class="quiet">${text(note)}</dd></div>`,
    )
    .join('')}</dl>`

function manyBodies(report: Report, linkTo: LinkTo): string {
  const { agents, operations, currency } = report
  const indexed = agents.map((agent, index) => ({ agent, index }))
  const failed = indexed.filter(({ agent }) => agent.failed)
  const isDetailed = agents.some(({ steps }) => steps.length > 0)
  const rows = indexed.map(
    ({ agent, index }) =>
      `<tr><td>${badge(agent)}</td><td>${isDetailed ? `<a href="#a${index}">${text(agent.agent_id)}</a>` : text(agent.agent_id)}</td>` +
      `<td>${text(agent.node_id)}</td><td>${text(titleOf(agent.asked.goal, 60))}</td>` +
      numbers([agent.turns, agent.calls, agent.failed_calls, tokensOf(agent.models)]) +
      `<td class="number">${text(costOf(agent.models, currency))}</td><td class="number">${time(agent.wall_ms)}</td></tr>`,
  )
  return [
    operations.length > 1
      ? section(
          'Operations',
          table(
            ['operation', '#agents', '#failed'],
            operations.map(
              (row) => `<tr><td>${text(row.operation)}</td>${numbers([row.agents, row.failed])}</tr>`,
            ),
          ),
        )
      : '',
    failed.length > 0
      ? section(
          `Failed (${whole(failed.length)})`,
          `<ul class="failures">${failed.map(({ agent, index }) => failedItem(agent, index, linkTo)).join('')}</ul>`,
        )
      : '',
    section(
      `Agents (${whole(agents.length)})`,
      table(
        ['state', 'agent', 'node', 'asked', '#turns', '#calls', '#failed', '#tokens', '#cost', '#time'],
        rows,
      ),
    ),
    ...(isDetailed
      ? indexed.map(
          ({ agent, index }) =>
            `<details id="a${index}"><summary>${badge(agent)} ${text(agent.agent_id)}</summary>${agentBody(agent, index, report, linkTo)}</details>`,
        )
      : []),
  ].join('\n')
}

function failedItem(agent: AgentPart, index: number, linkTo: LinkTo): string {
  const last = agent.failures.at(-1)
  const why = last ? `${text(last.message)} ${reference(agent, index, last, linkTo)}` : text(agent.summary)
  return `<li>${badge(agent)} <strong>${text(agent.agent_id)}</strong> ${why}</li>`
}

function agentBody(agent: AgentPart, index: number, report: Report, linkTo: LinkTo): string {
  const at = (place: At) => reference(agent, index, place, linkTo)
  const list = (items: readonly string[]) => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
  const { asked, changes, failures, tools, steps } = agent
  return [
    `<p class="quiet">Agent ${text(agent.agent_id)} of run ${text(agent.run_id)} on ${text(agent.node_id)}, ${instant(agent.created)} to ${instant(agent.last)} UTC</p>`,
    section(
      'Asked',
      block(asked.goal) +
        asked.words.map((words) => `<p>A person ${at(words)}</p>${block(words.text)}`).join(''),
    ),
    section(
      'Done',
      `<p>${badge(agent)} ${agent.end ? at(agent.end) : ''} ${text(agent.summary)}</p>` +
        list(
          tools.map(
            ({ tool, calls, failed }) =>
              `${text(tool)}: ${whole(calls)}${failed > 0 ? `, <span class="bad">${whole(failed)} failed</span>` : ''}`,
          ),
        ),
    ),
    changes.length > 0
      ? section(
          'Changed',
          list(
            changes.map((change) => `<code>${text(change.path)}</code> ${changeWords(change)} ${at(change)}`),
          ),
        )
      : '',
    failures.length > 0
      ? section(
          'Failed',
          list(
            failures.map(
              (failure) =>
                `turn ${failure.turn}, ${text(failure.where)}: ${text(failure.message)} ${at(failure)}`,
            ),
          ),
        )
      : '',
    section('Cost', `<p>${text(costSentence(agent, report.currency))}</p>`),
    steps.length > 0
      ? section(
          'Steps',
          table(
            ['#turn', 'event', 'outcome', 'tool', 'what came of it'],
            steps.map(
              (step) =>
                `<tr id="e${index}-${step.seq}"><td class="number">${step.turn}</td><td>${outside(agent, step, linkTo)}</td>` +
                `<td><span class="badge ${step.outcome}">${step.outcome}</span></td><td>${text(step.tool)}</td><td>${text(step.summary)}</td></tr>`,
            ),
          ),
        )
      : '',
  ].join('\n')
}

const modelTable = ({ models, currency }: Report): string =>
  models.length === 0
    ? ''
    : section(
        'Models',
        table(
          ['model', '#requests', '#prompt tokens', '#answer tokens', '#time', '#cost'],
          models.map(
            (use) =>
              `<tr><td>${text(use.model)}${use.counted_here > 0 ? ' <span class="quiet">(tokens by our count)</span>' : ''}</td>` +
              numbers([use.requests, use.prompt_tokens, use.completion_tokens]) +
              `<td class="number">${time(use.answer_ms)}</td>` +
              `<td class="number">${use.cost === undefined ? 'no price' : text(money(use.cost, currency))}</td></tr>`,
          ),
        ),
      )

const section = (title: string, body: string): string => `<section><h2>${text(title)}</h2>${body}</section>`

/** A column whose name begins with `#` holds numbers. */
const table = (head: readonly string[], rows: readonly string[]): string =>
  `<div class="wide"><table><thead><tr>${head
    .map((name) => (name.startsWith('#') ? `<th class="number">${name.slice(1)}</th>` : `<th>${name}</th>`))
    .join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`

const numbers = (values: readonly number[]): string =>
  values.map((value) => `<td class="number">${whole(value)}</td>`).join('')

const badge = ({ state, failed }: AgentPart): string =>
  `<span class="badge ${failed ? 'error' : state === 'open' ? 'partial' : 'success'}">${text(state)}</span>`

/** The number of an event: its step in this report where it is one, otherwise wherever it can be looked at. */
function reference(agent: AgentPart, index: number, { seq }: At, linkTo: LinkTo): string {
  if (agent.steps.some((step) => step.seq === seq)) return `<a href="#e${index}-${seq}">#${seq}</a>`
  return outside(agent, { seq }, linkTo)
}

function outside({ agent_id }: AgentPart, { seq }: Pick<At, 'seq'>, linkTo: LinkTo): string {
  const link = linkTo(agent_id, seq)
  return link === undefined ? `<span class="quiet">#${seq}</span>` : `<a href="${text(link)}">#${seq}</a>`
}

const block = (recorded: string): string => `<pre>${escaped(visible(recorded).trimEnd())}</pre>`
const text = (recorded: string): string => escaped(visibleLine(recorded))

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (plain: string): string => plain.replace(/[&<>"']/g, (character) => entities[character] ?? '')
