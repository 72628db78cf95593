import { onOneLine } from '../../text/lines.ts'
import type { Page } from './page.ts'

/** One element of a listing that browser agents read instead of the page. */
interface Element {
  readonly id: string
  readonly role: string
  readonly name: string
  /** States and addresses: `focused: True`, `url: …`. */
  readonly more: string
}

const INTERACTIVE =
  /^(?:button|link|a|textbox|searchbox|input|textarea|checkbox|radio|combobox|select|option|menuitem|tab|switch|slider|spinbutton|listbox)$/i
const LINE_CHARS_MAX = 2_000
const LINES_MAX = 6_000
/** How many of the lines must be elements, told after a glance at the first of them. */
const ELEMENTS_MIN = 0.4
const GLANCE_LINES = 40
/** `[12] button 'Search' focused: True` */
const BRACKETED = /^\[([\w-]{1,12})\]\s{0,2}([A-Za-z]{2,20})(?: '([^']{0,500})'| "([^"]{0,500})")?(.{0,400})$/
/** `[33]<button aria-label=Search>Go</button>`, `*[33]<a>Home />` */
const TAGGED = /^\*{0,2}\[(\d{1,6})\]\*{0,2}:?\s{0,2}<([a-z][a-z0-9-]{0,20})([^>]{0,500})>?(.{0,500})$/
/** `- button "Search" [ref=e12]:` */
const OUTLINED = /^- ([a-z]{2,20})(?: "((?:[^"\\]|\\.){0,500})")?((?: \[[\w=.-]{1,40}\]){0,6}):?(.{0,400})$/

/** Undefined when most lines are not elements: an accessibility tree, a numbered list of a page's elements. */
export function readTree(lines: readonly string[]): Page | undefined {
  const page = {
    lines: [] as string[],
    headings: [] as string[],
    texts: new Set<string>(),
    links: 0,
    controls: 0,
  }
  let filled = 0
  let read = 0
  let identified = 0
  for (const raw of lines) {
    const line = raw.trim().slice(0, LINE_CHARS_MAX)
    if (line === '') continue
    filled++
    const address = /^- \/url: (.{1,1000})$/.exec(line)
    const element = address ? undefined : elementIn(line)
    if (address || element) read++
    if (address && page.lines.length > 0)
      page.lines.push(`${page.lines.pop()} → ${address[1]?.replace(/"/g, '')}`)
    if (element?.id) identified++
    if (filled >= GLANCE_LINES && read < filled * ELEMENTS_MIN) return undefined
    if (page.lines.length >= LINES_MAX) break
    if (element) add(page, element)
    else if (!address) page.lines.push(line)
  }
  if (read < 3 || identified < 2 || read < filled * ELEMENTS_MIN) return undefined
  const title = page.headings[0]
  return {
    ...(title ? { title } : {}),
    headings: page.headings,
    lines: page.lines,
    aside: [],
    links: page.links,
    controls: page.controls,
  }
}

function elementIn(line: string): Element | undefined {
  const bracketed = BRACKETED.exec(line)
  if (bracketed)
    return {
      id: bracketed[1] ?? '',
      role: bracketed[2] ?? '',
      name: bracketed[3] ?? bracketed[4] ?? '',
      more: bracketed[5] ?? '',
    }
  const tagged = TAGGED.exec(line)
  if (tagged)
    return {
      id: tagged[1] ?? '',
      role: tagged[2] ?? '',
      name: (tagged[4] ?? '').replace(/(?:<\/[a-z0-9-]{1,20}>|\/>)$/, ''),
      more: ` ${tagged[3] ?? ''}`.replace(/\/$/, ''),
    }
  const outlined = OUTLINED.exec(line)
  if (!outlined) return undefined
  const marks = outlined[3] ?? ''
  return {
    id: /\[ref=([\w-]{1,20})\]/.exec(marks)?.[1] ?? '',
    role: outlined[1] ?? '',
    name: outlined[2] ?? (outlined[4] ?? '').replace(/^:? /, ''),
    more: marks.replace(/ \[(?:ref=[\w-]+|cursor=pointer)\]/g, ''),
  }
}

/** Elements without a name only hold others; a text that repeats the name of its link says nothing new. */
function add(
  page: { lines: string[]; headings: string[]; texts: Set<string>; links: number; controls: number },
  { id, role, name, more }: Element,
): void {
  const said = onOneLine(name)
  const state = onOneLine(more)
  const interactive = INTERACTIVE.test(role)
  if (!interactive && (said === '' || page.texts.has(said))) return
  page.texts.add(said)
  if (/^(?:heading|h[1-6]|RootWebArea)$/i.test(role)) page.headings.push(said)
  if (/^(?:link|a)$/i.test(role)) page.links++
  else if (interactive) page.controls++
  const text = /^(?:StaticText|text|generic|paragraph|listitem)$/i.test(role)
  page.lines.push(
    [
      text && !interactive ? '' : `[${id}] ${role}`.replace('[] ', ''),
      said === '' ? '' : text ? said : `"${said}"`,
      state,
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
}
