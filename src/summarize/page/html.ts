import { onOneLine } from '../../text/lines.ts'
import { attributeOf, decodedText, eachHtmlPart } from './html-parts.ts'

/** A page as a reader sees it: text, headings, links as `[text](address)`, controls with their names. */
export interface HtmlPage {
  readonly title?: string
  readonly lines: readonly string[]
  readonly links: number
  readonly controls: number
}

const LINES_MAX = 6_000
const LINE_CHARS_MAX = 1_500
const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const BLOCKS = setOf(
  'p div li ul ol dl dt dd tr table thead tbody section article header footer nav main aside form fieldset br hr blockquote pre figure figcaption option select details summary h1 h2 h3 h4 h5 h6 title body head html label textarea button iframe',
)
/** Tags that a fragment of a page can be known by; words between `<` and `>` may also be types or placeholders. */
const COMMON = setOf(
  'html head body div span p a ul ol li table tr td th h1 h2 h3 h4 script style meta link img br form input button section article nav header footer main strong em b i label',
)
const SAMPLE_CHARS = 20_000

/** Whether a text is HTML: it says so at its start, or most of what looks like a tag is one of the common ones. */
export function isHtml(text: string): boolean {
  if (startsAsHtml(text)) return true
  const sample = text.slice(0, SAMPLE_CHARS)
  const tags = sample.match(/<\/?[a-zA-Z][a-zA-Z0-9-]{0,20}[ >/]/g) ?? []
  const known = tags.filter((tag) => COMMON.has(tag.replace(/[</ >]/g, '').toLowerCase())).length
  return known >= 5 && known > tags.length * 0.7 && known > sample.length / 600
}

export const startsAsHtml = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype html|html)\b/i.test(text.slice(0, 2_000))

export function readHtml(html: string): HtmlPage {
  const lines: string[] = []
  let [line, prefix, links, controls, inPre] = ['', '', 0, 0, 0]
  let title: string | undefined
  let link: { from: number; address: string } | undefined
  const endLine = (): void => {
    if (link && line.slice(link.from).trim() !== '') endLink()
    const text = inPre > 0 ? line.trimEnd() : onOneLine(line)
    if (text !== '' && lines.length < LINES_MAX) lines.push(`${prefix}${text}`)
    if (text !== '') prefix = prefix.startsWith('#') ? prefix : ''
    line = ''
    if (link) link = { ...link, from: 0 }
  }
  const endLink = (): void => {
    if (link) {
      const text = onOneLine(line.slice(link.from))
      line = line.slice(0, link.from) + (text === '' ? '' : ` [${text}](${link.address})`)
    }
    link = undefined
  }
  const control = (name: string, attributes: string): void => {
    const type = attributeOf(attributes, 'type')
    if (type === 'hidden') return
    controls++
    const named = ['name', 'id', 'placeholder', 'aria-label', 'value'].flatMap((key) => {
      const value = attributeOf(attributes, key)
      return value ? [`${key}=${onOneLine(value).slice(0, 80)}`] : []
    })
    line += ` [${[name, type, ...named].filter(Boolean).join(' ')}] `
  }
  eachHtmlPart(html, (part) => {
    if (part.kind === 'text') {
      const text = decodedText(part.text)
      if (inPre === 0) line += text.replace(/\s+/g, ' ')
      else
        for (const [at, row] of text.split('\n').entries()) {
          if (at > 0) endLine()
          line += row
        }
      // Looking into a line that never ends takes longer with every look.
      if (line.length > LINE_CHARS_MAX) endLine()
      return
    }
    const { kind, name } = part
    if (kind === 'close' && name === 'a') endLink()
    if (kind === 'close' && name === 'title') {
      title ??= onOneLine(line)
      line = ''
    }
    if (BLOCKS.has(name)) endLine()
    if (/^h[1-6]$/.test(name)) prefix = kind === 'open' ? `${'#'.repeat(Number(name[1]))} ` : ''
    if (name === 'pre') inPre = Math.max(0, inPre + (kind === 'open' ? 1 : -1))
    if (kind === 'close') return
    if (name === 'li') prefix = '- '
    else if (name === 'td' || name === 'th') line += line === '' ? '' : ' | '
    else if (name === 'img') line += ` ${attributeOf(part.attributes, 'alt') ?? ''} `
    else if (name === 'a') {
      endLink()
      const address = attributeOf(part.attributes, 'href') ?? ''
      if (!/^(?:#|javascript:|data:|$)/i.test(address)) {
        links++
        link = { from: line.length, address }
      }
    } else if (/^(?:input|select|textarea|button)$/.test(name)) control(name, part.attributes)
  })
  endLink()
  endLine()
  return { ...(title === undefined ? {} : { title }), lines, links, controls }
}
