import { visible, visibleLine } from '../visible.ts'
import type { TranscriptPart } from './transcript.ts'

/** A part as plain text for a terminal; `turn` says whether it is the first of its turn. */
export function transcriptText(part: TranscriptPart, beginsTurn: boolean): string {
  const body = visible(part.text)
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${part.form === 'code' ? '│ ' : ''}${line}`))
    .join('\n')
  const title = `${part.who} ${visibleLine(part.what)} ${mark(part)}`
  return `${beginsTurn ? `── turn ${part.turn} ${'─'.repeat(50)}\n\n` : ''}${title}\n${part.text === '' ? '' : `${body}\n`}`
}

/** A part as Markdown. Prose is quoted as it is, without HTML and headings of its own; code stands in a fence. */
export function transcriptMarkdown(part: TranscriptPart, beginsTurn: boolean): string {
  const title = `**${part.who}** ${plain(visibleLine(part.what))} ${mark(part)}`
  return `${beginsTurn ? `## Turn ${part.turn}\n\n` : ''}${title}\n${part.text === '' ? '' : `\n${part.form === 'code' ? fenced(part.text) : quoted(part.text)}\n`}`
}

const mark = ({ seq, failed }: TranscriptPart): string => `(#${seq}${failed ? ', failed' : ''})`

function fenced(text: string): string {
  const shown = visible(text)
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${shown}\n${fence}`
}

/** A model's Markdown stays Markdown inside the quotation; what could be HTML does not. */
const quoted = (text: string): string =>
  visible(text)
    .replaceAll('<', '&lt;')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

const plain = (text: string): string => text.replace(/[\\`*[\]<>&~]|\b_|_\b/g, '\\$&')
