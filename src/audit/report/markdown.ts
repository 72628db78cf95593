import { visible, visibleLine } from '../visible.ts'
import { type Block, documentOf, documentTitle, type Line, type Span, type Tone } from './document.ts'
import type { Report } from './report.ts'
import { figures, instant, type LinkTo, noLinks, subjectOf } from './words.ts'

/** More of them are not read in Markdown; JSON and HTML have all. */
const MOST = { rows: 1_000, failed: 50 }

const marks: Readonly<Record<Tone, string>> = { success: '✓', partial: '~', error: '✗' }

/** A report as Markdown. Whatever a log says is text in it: no heading, table, image or HTML comes of it. */
export function reportMarkdown(report: Report, linkTo: LinkTo = noLinks): string {
  const rows = figures(report).map(([name, value, note]) => [`**${name}**`, value, markdownText(note)])
  return `${[
    `# ${markdownText(documentTitle(report))}`,
    `Report on ${markdownText(subjectOf(report))}, made ${instant(report.made)} UTC.`,
    markdownTable(['', '', ''], rows),
    ...documentOf(report, MOST).map((one) => block(one, linkTo, '##')),
  ].join('\n\n')}\n`
}

function block(one: Block, linkTo: LinkTo, level: string): string {
  const within = (title: string, blocks: readonly Block[]) =>
    [`${level} ${title}`, ...blocks.map((inner) => block(inner, linkTo, `${level}#`))].join('\n\n')
  switch (one.kind) {
    case 'section':
      return within(markdownText(one.title), one.blocks)
    case 'agent':
      return within(code(one.agent.agent_id), one.blocks)
    case 'paragraph':
      return line(one.line, linkTo)
    case 'list':
      return one.items.map((item) => `- ${line(item, linkTo)}`).join('\n')
    case 'quote':
      // An indented block shows lines as they are, and ends with the last of them.
      return visible(one.text)
        .trimEnd()
        .split('\n')
        .map((recorded) => `    ${recorded}`)
        .join('\n')
    case 'table': {
      const head = one.head.map((name) => name.replace(/^#/, ''))
      return markdownTable(
        head,
        one.rows.map((cells) => cells.map((cell) => line([cell].flat(), linkTo))),
      )
    }
  }
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

const line = (spans: Line, linkTo: LinkTo): string => spans.map((one) => span(one, linkTo)).join('')

function span(one: Span, linkTo: LinkTo): string {
  if (typeof one === 'string') return escaped(visible(one).replace(/\s+/g, ' '))
  if ('code' in one) return code(one.code)
  if ('badge' in one) return one.badge === one.tone ? marks[one.tone] : markdownText(one.badge)
  const link = linkTo(one.agent_id, one.seq)
  return link === undefined
    ? `#${one.seq}`
    : `[#${one.seq}](<${link.replace(/[<>\n]/g, encodeURIComponent)}>)`
}

/** One line of recorded text that Markdown leaves as it is. */
const markdownText = (recorded: string): string => escaped(visibleLine(recorded))
const escaped = (plain: string): string => plain.replace(/[\\`*[\]<>|&~]|\b_|_\b/g, '\\$&')

/** Recorded text between back quotes; those inside it would end it. */
const code = (recorded: string): string =>
  `\`${visibleLine(recorded).replaceAll('`', 'ˋ').replaceAll('|', '\\|')}\``
