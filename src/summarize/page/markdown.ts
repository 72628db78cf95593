import { onOneLine } from '../../text/lines.ts'
import { isOnlyLinks, leadsSomewhere, linkLine, type Page } from './page.ts'

const LINES_MAX = 6_000
const LINE_CHARS_MAX = 20_000
const TEXT_CHARS_MAX = 400
/** Of what only looks like a link, a line may hold so much before the rest of it is taken as text. */
const BROKEN_MAX = 10

/** Markdown or plain text of a page: prose without its link targets, which follow it as `text → address`. */
export function readMarkdown(lines: readonly string[]): Page {
  const shown: string[] = []
  const aside: string[] = []
  const headings: string[] = []
  const known = new Set<string>()
  let fenced = false
  for (const raw of lines) {
    if (shown.length >= LINES_MAX) break
    const line = raw.trim()
    if (line.startsWith('```')) fenced = !fenced
    if (fenced || line === '') {
      if (line !== '') shown.push(raw.trimEnd())
      continue
    }
    const { text, links } = withoutLinks(line)
    const heading = /^#{1,6} +(\S.*)$/.exec(text)
    if (heading) headings.push(onOneLine(heading[1] ?? ''))
    const alone = links.length === 1 && bare(text).length <= (links[0]?.text.length ?? 0) + 4
    // Links before the first heading are the site's menu.
    const to = headings.length === 0 && alone && !/^\d/.test(text) ? aside : shown
    if (!alone && text !== '' && !isOnlyLinks(text, links)) to.push(text)
    for (const link of links) {
      if (!known.has(link.address)) to.push(linkLine(alone ? text : link.text, link.address))
      else if (alone && text !== '') to.push(text)
      known.add(link.address)
    }
  }
  return { headings, lines: shown, aside, links: known.size, controls: 0 }
}

const bare = (text: string): string => text.replace(/^(?:[-*+]|\d{1,4}[.)]|#{1,6}) +/, '')

/** A line with its `[text](address "title")` as the text alone, and the links that were in it. */
function withoutLinks(line: string): { text: string; links: { text: string; address: string }[] } {
  if (!line.includes('](')) return { text: onOneLine(line), links: [] }
  const links: { text: string; address: string }[] = []
  let text = ''
  let from = 0
  let broken = 0
  const source = line.slice(0, LINE_CHARS_MAX)
  for (
    let middle = source.indexOf('](');
    middle !== -1;
    middle = source.indexOf('](', Math.max(middle + 2, from))
  ) {
    const near = Math.max(from, middle - TEXT_CHARS_MAX)
    const start = near + source.slice(near, middle).lastIndexOf('[')
    const end = closing(source, middle + 2)
    if (start < near || end === -1) {
      if (++broken > BROKEN_MAX) break
      continue
    }
    const said = source.slice(start + 1, middle)
    const address =
      source
        .slice(middle + 2, end)
        .trim()
        .split(/\s/, 1)[0] ?? ''
    const image = source[start - 1] === '!'
    text += source.slice(from, image ? start - 1 : start) + said
    if (!image && leadsSomewhere(said, address)) links.push({ text: onOneLine(said), address })
    from = end + 1
  }
  return { text: onOneLine(text + source.slice(from) + line.slice(LINE_CHARS_MAX)), links }
}

const ADDRESS_CHARS_MAX = 1_000

/** The `)` that ends an address, which may hold pairs of them. */
function closing(line: string, from: number): number {
  let depth = 0
  for (let at = from; at < line.length && at - from < ADDRESS_CHARS_MAX; at++) {
    const code = line.charCodeAt(at)
    if (code === 40) depth++
    else if (code === 41 && depth-- === 0) return at
  }
  return -1
}
