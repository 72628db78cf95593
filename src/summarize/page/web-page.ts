import { isObject } from '../../event/json.ts'
import { type NumberedLine, notes } from '../../packet/notes.ts'
import { cut } from '../../text/cut.ts'
import { cleanLines, pickLines, plural, quoted, shortLine, unnumbered } from '../../text/lines.ts'
import { type Intent, intentOf } from '../call/intent.ts'
import { labelOf } from '../call/label.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import { readHttp } from '../json/http-response.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { within } from '../within.ts'
import { frontMatter } from './front.ts'
import { isHtml, readHtml } from './html.ts'
import { readMarkdown } from './markdown.ts'
import { addressIn, type Page } from './page.ts'
import { readTree } from './tree.ts'

const FEW_LINES = 6
const ADDRESSES_MAX = 100
const TITLES_SHOWN = 3

/** A page that was fetched or is open in a browser: what it is, its text, and where one can go from it. */
export const webPage: Summarizer = {
  name: 'web-page',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (seen.outcome === 'error' || intent.kind === 'edit' || intent.kind === 'write') return undefined
    const response = readHttp(within(seen.text))
    const page = pageOf(seen, intent, response?.body ?? within(seen.text))
    if (!page) return undefined
    const label = labelOf(seen.tool, seen.args, intent)
    const lines = [...page.lines, ...page.aside].filter((line) => line.trim() !== '')
    const status = response ? `HTTP ${response.status} ${response.reason}`.trim() : ''
    return {
      summary: cut(
        `${status === '' ? '' : `${status}, `}${sentenceOf(page, intent, addressIn(seen.args))} from ${label}`,
        280,
      ),
      ...((response?.status ?? 0) >= 400 || isErrorPage(page)
        ? {
            outcome: 'error',
            failedAttempt: cut(`${label}: ${status || nameOf(page, addressIn(seen.args))}`, 200),
          }
        : {}),
      ...(lines.length > 0
        ? { knowledge: { [keyOf(page, intent, label)]: notes(aboutOf(page, intent), kept(lines)) } }
        : {}),
    }
  },
}

function pageOf(seen: Observation, intent: Intent, text: string): Page | undefined {
  const lines = cleanLines(text)
  const { told, from } = frontMatter(lines)
  const body = from === 0 ? text : lines.slice(from).join('\n')
  const asked = addressIn(seen.args)
  if (asked !== undefined && isObject(seen.args) && Object.keys(seen.args).length === 1)
    told.address ??= asked
  const fetched = told.address !== undefined || told.title !== undefined || asked !== undefined
  const shell = intent.kind === 'run'
  if (isHtml(body) && (fetched || startsAsPage(body, shell))) {
    const page = readHtml(body)
    // Made by its scripts: where they point to is all there is.
    const scripted = page.lines.length + page.aside.length < FEW_LINES && /<script|<style/i.test(body)
    return {
      ...page,
      ...told,
      ...(scripted ? { scripted, aside: [...page.aside, ...addressesIn(body)] } : {}),
    }
  }
  const tree = readTree(lines.slice(from))
  if (tree && !shell) return { ...tree, ...told }
  if (!fetched || shell || intent.kind === 'list') return undefined
  const page = readMarkdown(lines.slice(from))
  // A few plain lines from a tool that takes an address are its own words, not a page's.
  const own = from === 0 && page.links + page.headings.length === 0 && page.lines.length < FEW_LINES
  return own ? undefined : { ...page, ...told }
}

/** A shell shows markup of files too: there only a whole page counts. */
const startsAsPage = (text: string, shell: boolean): boolean =>
  (shell ? /^\s*<(?:!doctype|html)\b/i : /^\s*</).test(text.slice(0, 2_000))

/** `Error 403`, `404 Not Found`. */
const isErrorPage = ({ title, headings }: Page): boolean =>
  /^(?:error |http )?[45]\d\d\b/i.test(title || (headings[0] ?? ''))

/** Addresses in scripts, without those of the page's own parts. */
function addressesIn(text: string): string[] {
  const found = text.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'<>\\(){}]{4,300}/g) ?? []
  const apart = found.filter(
    (address) => !/\.(?:css|js|mjs|woff2?|ttf|png|jpe?g|gif|svg|ico|webp)\b/i.test(address),
  )
  return [...new Set(apart)].slice(0, ADDRESSES_MAX).map((address) => `→ ${address}`)
}

function sentenceOf(page: Page, intent: Intent, asked: string | undefined): string {
  const { part, lines, aside, links, controls, scripted } = page
  const name = `page ${nameOf(page, asked)}${part && !/ 1 of 1$/.test(part) ? `, ${part}` : ''}`
  const found = intent.kind === 'search' ? resultsIn(lines) : []
  if (found.length > 1)
    return `Found ${plural(links, 'link')}: ${found
      .slice(0, TITLES_SHOWN)
      .map((title) => quoted(shortLine(cut(title, 50))))
      .join(', ')}`
  const count = lines.length + aside.length
  if (scripted) return `Hardly any text but scripts on ${name}`
  if (count === 0) return `No text on ${name}`
  const [only] = lines
  if (count === 1 && only !== undefined && only.length <= 140) return `${quoted(shortLine(only))} on ${name}`
  const counts = [
    plural(count, 'line'),
    ...(links > 0 ? [plural(links, 'link')] : []),
    ...(controls > 0 ? [plural(controls, 'control')] : []),
  ]
  return `Page${name.slice(4)}: ${counts.join(', ')}`
}

function nameOf({ title, headings, address }: Page, asked: string | undefined): string {
  const name = title || headings[0]
  if (name) return quoted(shortLine(cut(name, 80)))
  return cut(address ?? asked ?? 'without a title', 80)
}

/** The titles of a numbered list of links. */
const resultsIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const result = /^\d{1,3}[.)] (.{1,200}?) → /.exec(line)
    return result ? [result[1] ?? ''] : []
  })

/** What is known of one page stands together, under its address. */
function keyOf({ address, part }: Page, intent: Intent, label: string): string {
  if (address === undefined || !/^https?:\/\/\S{1,180}$/.test(address)) return label
  if (intent.kind === 'search') return `${address} (search "${cut(intent.pattern, 32)}")`
  return part === undefined || / 1 of \d+$/.test(part) ? address : `${address} (${part})`
}

/** A page of results is titled by what was asked, which its key says already. */
const aboutOf = ({ title = '' }: Page, intent: Intent): string =>
  intent.kind === 'search' && title.startsWith(intent.pattern) ? '' : cut(shortLine(title), 100)

const kept = (lines: readonly string[]): NumberedLine[] => pickLines(unnumbered(lines), NOTES_CHARS_MAX)
