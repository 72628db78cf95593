/** One tag of HTML, or the text between two. */
export type HtmlPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string }

/** What stands in these is no text for a reader. */
const HIDDEN: Readonly<Record<string, RegExp>> = {
  script: /<\/script/gi,
  style: /<\/style/gi,
  template: /<\/template/gi,
  noscript: /<\/noscript/gi,
  svg: /<\/svg/gi,
}
const NAME_CHARS_MAX = 40
/** Tags whose quotes never close: after so many, a tag ends at the next `>` whatever the quotes say. */
const UNCLOSED_MAX = 50
/** Each takes its time, and no packet would show what comes behind so many. */
const TAGS_MAX = 25_000

/**
 * Calls `found` for the tags and texts of HTML, however broken; comments, scripts and styles are passed over.
 * One scan from start to end: what is not closed costs at most one look ahead each, and those are counted.
 */
export function eachHtmlPart(html: string, found: (part: HtmlPart) => void): void {
  let unclosed = 0
  let at = 0
  const text = (to: number) => {
    if (to > at) found({ kind: 'text', text: html.slice(at, to) })
  }
  for (let tags = 0; at < html.length && tags < TAGS_MAX; tags++) {
    const start = tagStart(html, at)
    text(start)
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
      if (html[end - 1] !== '/') at = afterHidden(html, name, at)
    }
  }
}

/** The next `<` that begins a tag; the end when there is none. */
function tagStart(html: string, from: number): number {
  for (let at = html.indexOf('<', from); at !== -1; at = html.indexOf('<', at + 1)) {
    const next = html.charCodeAt(at + 1) | 32
    if ((next >= 97 && next <= 122) || html[at + 1] === '/' || html[at + 1] === '!' || html[at + 1] === '?')
      return at
  }
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

/** Letters, digits, `-` and `:`; not a number past the end. */
const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 58) || code === 45

function nameAt(html: string, from: number): string {
  let to = from
  while (to - from < NAME_CHARS_MAX && isNameChar(html.charCodeAt(to))) to++
  return html.slice(from, to).toLowerCase()
}

function afterHidden(html: string, name: string, from: number): number {
  const close = Object.hasOwn(HIDDEN, name) ? HIDDEN[name] : undefined
  if (close === undefined) return from
  close.lastIndex = from
  const match = close.exec(html)
  if (match === null) return html.length
  const end = html.indexOf('>', match.index)
  return end === -1 ? html.length : end + 1
}

const ATTRIBUTE_CHARS_MAX = 2_000

/** The value of an attribute, its entities decoded; undefined when the tag has none of that name. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at !== -1; at = attributes.indexOf(name, at + 1)) {
    let equals = at + name.length
    if (!/[\s"']/.test(attributes.charAt(at - 1))) continue
    while (attributes[equals] === ' ') equals++
    if (attributes[equals] !== '=') continue
    let from = equals + 1
    while (attributes[from] === ' ') from++
    const quote = attributes[from]
    const quoted = quote === '"' || quote === "'"
    const end = quoted ? attributes.indexOf(quote, from + 1) : attributes.slice(from).search(/\s|$/) + from
    const value = attributes.slice(quoted ? from + 1 : from, end === -1 ? undefined : end)
    return decodeEntities(value.slice(0, ATTRIBUTE_CHARS_MAX)).trim()
  }
  return undefined
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  plusmn: '±',
  frac12: '½',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  larr: '←',
  rarr: '→',
  shy: '',
  zwnj: '',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
}

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,9});/g, (whole, name: string) => {
    if (name.startsWith('#')) {
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : whole
    }
    return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole
  })
}
