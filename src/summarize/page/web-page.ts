import { isObject, type Json } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { plural, quoted, shortLine } from '../../text/lines.ts'
import { addressIn } from '../fields.ts'
import { readHttp } from '../http-response.ts'
import { failedStep, type Observation, type Summarizer } from '../summarizer.ts'
import { within } from '../within.ts'
import { isHtml, readHtml, startsAsHtml } from './html.ts'

const FEW_LINES = 6
const TITLES_SHOWN = 3

/** A page that was fetched or is open in a browser: what it is, and its text. */
export const webPage: Summarizer = {
  name: 'web-page',
  summarize(seen) {
    const { intent, label } = seen.call
    if (seen.outcome === 'error' || intent.kind === 'change' || intent.kind === 'read') return undefined
    const response = readHttp(within(seen.shown))
    const text = response?.body ?? within(seen.shown)
    const front = frontMatter(text.split('\n', 40))
    const page = markup(seen, text, front) ?? plainPage(seen, text, front)
    if (page === undefined) return undefined
    const status = response ? `HTTP ${response.status} ${response.reason}`.trim() : ''
    const failed = (response?.status ?? 0) >= 400 || /^(?:error |http )?[45]\d\d\b/i.test(page.title)
    const summary = cut(`${label}: ${status === '' ? '' : `${status}, `}${page.sentence}`, 290)
    return {
      ...(failed ? failedStep(summary) : { summary }),
      ...(page.output === undefined ? {} : { output: page.output }),
    }
  },
}

interface PageSummary {
  readonly title: string
  readonly sentence: string
  readonly output?: string
}

/** HTML as text. A shell shows markup of files too: there only a whole page counts. */
function markup({ args, call }: Observation, text: string, front: FrontMatter): PageSummary | undefined {
  const body = front.body(text)
  const fetched = front.address !== undefined || front.title !== undefined || asked(args) !== undefined
  const whole = call.programs.length > 0 ? startsAsHtml(body) : fetched || /^\s*</.test(body)
  if (!whole || !isHtml(body)) return undefined
  const { title = '', lines, links, controls } = readHtml(body)
  const name = pageName(front.title ?? title, front.address ?? asked(args))
  const counts = [
    plural(lines.length, 'line'),
    ...(links > 0 ? [plural(links, 'link')] : []),
    ...(controls > 0 ? [plural(controls, 'control')] : []),
  ]
  const sentence = `page ${name}${front.part}, ${counts.join(', ')}`
  const head = front.address === undefined ? [] : [`${front.address}${front.part}`]
  const output = [...head, ...lines].join('\n')
  return { title: front.title ?? title, sentence, output }
}

/** Text of a page, or a search's results, as a tool gave it: it stays as it is. */
function plainPage(
  { args, call, shown }: Observation,
  text: string,
  front: FrontMatter,
): PageSummary | undefined {
  const address = asked(args)
  const isNamed = front.address !== undefined || front.title !== undefined
  if (call.programs.length > 0 || (!isNamed && address === undefined)) return undefined
  const lines = front
    .body(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
  // A few plain lines from a tool that takes an address are its own words, not a page's.
  if (!isNamed && lines.length < FEW_LINES) return undefined
  const found = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])
  const results = found(/^\d{1,3}[.)] \[(.{1,200}?)\]\(/)
  if (results.length > 1) {
    const shownFirst = results.slice(0, TITLES_SHOWN).map((title) => quoted(cut(title, 60)))
    return { title: '', sentence: `${results.length} results: ${shownFirst.join(', ')}` }
  }
  const [only] = lines
  if (only !== undefined && lines.length === 1) return { title: '', sentence: quoted(shortLine(only)) }
  const title = front.title || found(/^#{1,3} +(\S.{0,200})$/)[0] || ''
  const name = pageName(title, front.address ?? address)
  return {
    title,
    sentence: `page ${name}${front.part}, ${plural(lines.length, 'line')}`,
    ...(shown === text ? {} : { output: text }),
  }
}

const pageName = (title: string, address: string | undefined): string =>
  title === '' ? cut(address ?? 'without a title', 80) : quoted(shortLine(cut(title, 80)))

const asked = (args: Json): string | undefined => (isObject(args) ? addressIn(args) : undefined)

const FRONT_LINES_MAX = 12
const FRONT_LINE =
  /^[-*# ]{0,4}(?:page |current )?(address|url|title|viewport position|viewport|position):\s*(.*)$/i

/** What a browser says of a page above its text. */
interface FrontMatter {
  readonly title?: string
  readonly address?: string
  /** `, page 2 of 29`; empty when it does not say. */
  readonly part: string
  /** The text below it. */
  body(text: string): string
}

/** `Address: …`, `Title: …`, `Viewport position: Showing page 1 of 29`, then a rule. */
function frontMatter(lines: readonly string[]): FrontMatter {
  const found: { title?: string; address?: string; part: string } = { part: '' }
  let from = 0
  for (const [at, line] of lines.slice(0, FRONT_LINES_MAX).entries()) {
    const [isField, name = '', value = ''] = FRONT_LINE.exec(line.slice(0, 2_000)) ?? []
    const isRule = from > 0 && /^[=-]{3,}$/.test(line)
    if (!isField && !isRule && line !== '') break
    if (line !== '') from = at + 1
    if (/title/i.test(name)) found.title = value.trim()
    else if (/address|url/i.test(name)) found.address = value.trim()
    else if (isField) {
      const part = /page \d+ of \d+/i.exec(value)?.[0]
      found.part = part === undefined || / 1 of 1$/.test(part) ? '' : `, ${part}`
    }
  }
  return { ...found, body: (text) => (from === 0 ? text : text.split('\n').slice(from).join('\n')) }
}
