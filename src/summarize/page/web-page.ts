import { isObject } from '../../event/json.ts'
import { cut } from '../../text/cut.ts'
import { plural, quoted, shortLine } from '../../text/lines.ts'
import type { Intent } from '../call/intent.ts'
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
    const { intent, label } = seen.call
    if (seen.outcome === 'error' || intent.kind === 'change' || intent.kind === 'read') return undefined
    const response = readHttp(within(seen.shown))
    const page = pageOf(seen, intent, response?.body ?? within(seen.shown))
    if (!page) return undefined
    const asked = addressIn(seen.args)
    const status = response ? `HTTP ${response.status} ${response.reason}`.trim() : ''
    const failed = (response?.status ?? 0) >= 400 || isErrorPage(page)
    const said = `${label}: ${status === '' ? '' : `${status}, `}${sentenceOf(page, intent, asked)}`
    return {
      summary: cut(said, 290),
      ...(failed ? { outcome: 'error', failedAttempt: cut(said, 200) } : {}),
      output: [...page.lines, ...page.aside].join('\n'),
    }
  },
}

function pageOf(seen: Observation, intent: Intent, text: string): Page | undefined {
  const lines = text.split('\n')
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
