import { visible, visibleLine } from '../visible.ts'
import {
  type Block,
  documentOf,
  documentTitle,
  type Line,
  type Row,
  type Span,
  standing,
} from './document.ts'
import type { Report } from './report.ts'
import { style } from './style.ts'
import { figures, instant, type LinkTo, noLinks, subjectOf } from './words.ts'

/**
 * A report as one HTML file: no script, nothing loaded from elsewhere, and everything that a log says escaped. An
 * event's number leads to its step here, or to the place that `linkTo` gives.
 */
export function reportHtml(report: Report, linkTo: LinkTo = noLinks): string {
  const title = htmlText(documentTitle(report))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="quiet">Report on ${htmlText(subjectOf(report))}, made ${instant(report.made)} UTC</p>
</header>
${figureCards(report)}
${blocks(documentOf(report), linkTo)}
</body>
</html>
`
}

const figureCards = (report: Report): string =>
  `<dl class="figures">${figures(report)
    .map(
      ([name, value, note]) =>
        `<div><dt>${htmlText(name)}</dt><dd>${htmlText(value)}</dd><dd class="quiet">${htmlText(note)}</dd></div>`,
    )
    .join('')}</dl>`

const blocks = (all: readonly Block[], linkTo: LinkTo): string =>
  all.map((one) => block(one, linkTo)).join('\n')

function block(one: Block, linkTo: LinkTo): string {
  switch (one.kind) {
    case 'section':
      return `<section><h2>${htmlText(one.title)}</h2>${blocks(one.blocks, linkTo)}</section>`
    case 'agent': {
      const summary = line([standing(one.agent), ' ', one.agent.agent_id], linkTo)
      return `<details id="${one.id}"><summary>${summary}</summary>${blocks(one.blocks, linkTo)}</details>`
    }
    case 'paragraph':
      return `<p>${line(one.line, linkTo)}</p>`
    case 'list':
      return `<ul>${one.items.map((item) => `<li>${line(item, linkTo)}</li>`).join('')}</ul>`
    case 'quote':
      return `<pre>${escaped(visible(one.text).trimEnd())}</pre>`
    case 'table':
      return htmlTable(one.head, one.rows, linkTo)
  }
}

function htmlTable(head: readonly string[], rows: readonly Row[], linkTo: LinkTo): string {
  const kind = (column: number) => (head[column]?.startsWith('#') ? ' class="number"' : '')
  const titles = head.map((name, column) => `<th${kind(column)}>${htmlText(name.replace(/^#/, ''))}</th>`)
  const lines = rows.map(({ cells, id }) => {
    const shown = cells.map((cell, column) => `<td${kind(column)}>${line([cell].flat(), linkTo)}</td>`)
    return `<tr${id === undefined ? '' : ` id="${id}"`}>${shown.join('')}</tr>`
  })
  return `<div class="wide"><table><thead><tr>${titles.join('')}</tr></thead><tbody>${lines.join('\n')}</tbody></table></div>`
}

const line = (spans: Line, linkTo: LinkTo): string => spans.map((one) => span(one, linkTo)).join('')

function span(one: Span, linkTo: LinkTo): string {
  if (typeof one === 'string') return escaped(visible(one).replace(/\s+/g, ' '))
  if ('code' in one) {
    const code = `<code>${htmlText(one.code)}</code>`
    return one.to === undefined ? code : `<a href="#${one.to}">${code}</a>`
  }
  if ('badge' in one) return `<span class="badge ${one.tone}">${htmlText(one.badge)}</span>`
  const link = one.step === undefined ? linkTo(one.agent_id, one.seq) : `#${one.step}`
  return link === undefined
    ? `<span class="quiet">#${one.seq}</span>`
    : `<a href="${htmlText(link)}">#${one.seq}</a>`
}

const htmlText = (recorded: string): string => escaped(visibleLine(recorded))

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (plain: string): string => plain.replace(/[&<>"']/g, (character) => entities[character] ?? '')
