import { decodeHTML } from 'entities/decode'

/** One tag of HTML, or the text between two. */
export type HtmlPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string }

/** What stands in these is no text for a reader. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'svg'])
const NAME_CHARS_MAX = 40
/** Tags whose quotes never close: after so many, a tag ends at the next `>` whatever the quotes say. */
const UNCLOSED_MAX = 50
/** Each takes its time, and no packet would show what comes behind so many. */
const TAGS_MAX = 25_000
const ATTRIBUTE_CHARS_MAX = 2_000

/**
 * Calls `found` for the tags and texts of HTML, however broken; comments, scripts and styles are passed over.
 * One scan from start to end: what is not closed costs at most one look ahead each, and those are counted.
 */
export function eachHtmlPart(html: string, found: (part: HtmlPart) => void): void {
  let unclosed = 0
  let at = 0
  for (let tags = 0; at < html.length && tags < TAGS_MAX; tags++) {
    const start = tagStart(html, at)
    if (start > at) found({ kind: 'text', text: html.slice(at, start) })
    if (start === html.length) return
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 4)
      at = end === -1 ? html.length : end + 3
      continue
    }
    let end = unclosed < UNCLOSED_MAX ? tagEnd(html, start) : html.indexOf('>', start)
    if (end === -1 && unclosed < UNCLOSED_MAX) {
      unclosed++
      end = html.indexOf('>', start)
    }
    // A tag that never ends: the page was cut inside it.
    if (end === -1) return
    const closing = html[start + 1] === '/'
    const name = nameAt(html, start + (closing ? 2 : 1))
    at = end + 1
    if (name === '') continue
    if (closing) found({ kind: 'close', name })
    else {
      found({ kind: 'open', name, attributes: html.slice(start + 1 + name.length, end) })
      if (html[end - 1] !== '/' && HIDDEN.has(name)) at = afterHidden(html, name, at)
    }
  }
}

/** The next `<` that begins a tag; the end when there is none. */
function tagStart(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at !== -1; at = html.indexOf('<', at + 1))
    if (/[a-z/!?]/i.test(html.charAt(at + 1))) return at
  return html.length
}

/** The `>` of a tag, not one inside quotes; -1 when there is none. */
function tagEnd(html: string, start: number): number {
  for (let at = start + 1; at < html.length; at++) {
    const char = html[at]
    if (char === '>') return at
    if ((char === '"' || char === "'") && html[at - 1] === '=') {
      at = html.indexOf(char, at + 1)
      if (at === -1) return -1
    }
  }
  return -1
}

function nameAt(html: string, from: number): string {
  return /^[a-zA-Z0-9:-]*/.exec(html.slice(from, from + NAME_CHARS_MAX))?.[0].toLowerCase() ?? ''
}

function afterHidden(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  const match = close.exec(html)
  const end = match === null ? -1 : html.indexOf('>', match.index)
  return end === -1 ? html.length : end + 1
}

/** The value of an attribute, its entities decoded; undefined when the tag has none of that name. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    if (!/[\s"']/.test(attributes.charAt(at - 1))) continue
    const value = /^ {0,9}= {0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]*))/.exec(
      attributes.slice(at + name.length, at + name.length + ATTRIBUTE_CHARS_MAX),
    )
    if (value) return decodedText(value[1] ?? value[2] ?? value[3] ?? '').trim()
  }
  return undefined
}

export const decodedText = (text: string): string =>
  text.includes('&') ? decodeHTML(text).replaceAll('\u00a0', ' ') : text
