import { onOneLine } from '../../text/lines.ts'
import { attributeOf, decodeEntities, eachHtmlPart } from './html-text.ts'
import { isOnlyLinks, leadsSomewhere, linkLine, type Page } from './page.ts'

const LINES_MAX = 6_000
const LINK_TEXT_CHARS_MAX = 160
const LINE_CHARS_MAX = 4_000

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const BLOCKS = words(
  'p div li ul ol dl dt dd tr table thead tbody section article header footer nav main aside form fieldset br hr blockquote pre figure figcaption option select details summary h1 h2 h3 h4 h5 h6 title body head html label textarea button iframe',
)
const ASIDES = words('nav footer aside')
/** Tags that a fragment of a page can be known by; words between `<` and `>` may also be types or placeholders. */
const COMMON = words(
  'html head body div span p a ul ol li table tr td th h1 h2 h3 h4 script style meta link img br form input button section article nav header footer main strong em b i label',
)

/** Whether a text is HTML: it says so at its start, or most of what looks like a tag is one of the common ones. */
export function isHtml(text: string): boolean {
  if (startsAsHtml(text)) return true
  const tags = text.slice(0, 20_000).match(/<\/?[a-zA-Z][a-zA-Z0-9-]{0,20}[ >/]/g) ?? []
  const known = tags.filter((tag) => COMMON.has(tag.replace(/[</ >]/g, '').toLowerCase()))
  return (
    known.length >= 5 && known.length > tags.length * 0.7 && known.length > text.slice(0, 20_000).length / 600
  )
}

export const startsAsHtml = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype html|html)\b/i.test(text.slice(0, 2_000))

/** HTML, whole or a part of it, as a page. */
export function readHtml(html: string): Page {
  const writer = new PageWriter()
  eachHtmlPart(html, (part) => {
    if (part.kind === 'text') writer.text(part.text)
    else if (part.kind === 'open') writer.open(part.name, part.attributes)
    else writer.close(part.name)
  })
  return writer.page()
}

/** Gathers text into lines while a page is read; it lives for one reading. */
class PageWriter {
  private readonly lines: string[] = []
  private readonly aside: string[] = []
  private readonly headings: string[] = []
  private readonly known = new Set<string>()
  private links: { text: string; address: string }[] = []
  private line = ''
  private link: { from: number; address: string } | undefined
  private heading = ''
  private asideDepth = 0
  private preDepth = 0
  private title: string | undefined
  private address: string | undefined
  private linkCount = 0
  private controlCount = 0

  text(text: string): void {
    if (this.preDepth > 0 && text.includes('\n')) {
      for (const [at, row] of text.split('\n').entries()) {
        if (at > 0) this.endLine()
        this.line += decodeEntities(row)
      }
    } else
      this.line +=
        text.trim() === '' ? (this.line === '' ? '' : ' ') : decodeEntities(text).replace(/\s+/g, ' ')
    // Looking into a line that never ends takes longer with every look.
    if (this.line.length > LINE_CHARS_MAX) this.endLine()
  }

  open(name: string, attributes: string): void {
    if (BLOCKS.has(name)) this.endLine()
    if (/^h[1-6]$/.test(name)) this.heading = '#'.repeat(Number(name[1]))
    else if (ASIDES.has(name)) this.asideDepth++
    else if (name === 'pre') this.preDepth++
    else if (name === 'td' || name === 'th') this.line += this.line === '' ? '' : ' | '
    else if (name === 'a')
      this.link = { from: this.line.length, address: attributeOf(attributes, 'href') ?? '' }
    else if (name === 'img') this.line += ` ${attributeOf(attributes, 'alt') ?? ''} `
    else if (name === 'meta') this.meta(attributes)
    else if (name === 'link' && /canonical/.test(attributes)) this.address ??= attributeOf(attributes, 'href')
    else if (name === 'input' || name === 'select' || name === 'textarea') this.control(name, attributes)
    else if (name === 'button') this.line += buttonMark(attributes)
  }

  close(name: string): void {
    if (name === 'a') this.endLink()
    if (name === 'title') {
      this.title ??= onOneLine(this.line)
      this.line = ''
    }
    // The text before a script's end belongs to the script: the part of the page began inside it.
    if (name === 'script' || name === 'style') this.startAnew()
    else if (BLOCKS.has(name)) this.endLine()
    if (name === 'button' && this.lines.length > 0) this.controlCount++
    if (ASIDES.has(name)) this.asideDepth = Math.max(0, this.asideDepth - 1)
    if (name === 'pre') this.preDepth = Math.max(0, this.preDepth - 1)
    if (/^h[1-6]$/.test(name)) this.heading = ''
  }

  page(): Page {
    this.endLine()
    return {
      ...(this.title === undefined ? {} : { title: this.title }),
      ...(this.address === undefined ? {} : { address: this.address }),
      headings: this.headings,
      lines: this.lines,
      aside: this.aside,
      links: this.linkCount,
      controls: this.controlCount,
    }
  }

  private meta(attributes: string): void {
    const name = attributeOf(attributes, 'property') ?? attributeOf(attributes, 'name') ?? ''
    const content = attributeOf(attributes, 'content') ?? ''
    if (content === '') return
    if (name === 'og:title') this.title ??= content
    else if (name === 'og:url') this.address ??= content
    else if (/^(?:og:)?description$|^(?:author|citation_|article:(?:published|modified)_time)/.test(name)) {
      const line = `${name.slice(name.lastIndexOf(':') + 1)}: ${onOneLine(content)}`
      if (!this.known.has(line)) this.add(line)
      this.known.add(line)
    }
  }

  private control(name: string, attributes: string): void {
    const type = attributeOf(attributes, 'type') ?? (name === 'input' ? 'text' : '')
    if (type === 'hidden') return
    const said = ['name', 'id', 'placeholder', 'aria-label', 'value'].flatMap((key) => {
      const value = attributeOf(attributes, key)
      return value ? [`${key}=${onOneLine(value).slice(0, 80)}`] : []
    })
    this.endLine()
    this.controlCount++
    this.add(`[${[name, type, ...said].filter(Boolean).join(' ')}]`)
  }

  private startAnew(): void {
    this.line = ''
    this.links = []
    if (this.headings.length > 0 || this.title !== undefined) return
    this.lines.length = 0
    this.aside.length = 0
  }

  private endLink(): void {
    const { link } = this
    this.link = undefined
    if (!link) return
    const text = onOneLine(this.line.slice(link.from)).slice(0, LINK_TEXT_CHARS_MAX)
    if (leadsSomewhere(text, link.address)) this.links.push({ text, address: link.address })
  }

  private endLine(): void {
    const { link } = this
    // A link around blocks has its text in one of them.
    const goesOn = link !== undefined && this.line.slice(link.from).trim() === ''
    if (!goesOn) this.endLink()
    const line = onOneLine(this.line)
    const { links } = this
    this.line = ''
    this.links = []
    if (goesOn) this.link = { from: 0, address: link.address }
    const [only] = links
    if (only && links.length === 1 && line.length <= only.text.length + 12) {
      this.addLink(line, only.address)
      return
    }
    if (line !== '' && !isOnlyLinks(line, links)) {
      if (this.heading !== '') this.headings.push(line)
      this.add(this.heading === '' ? line : `${this.heading} ${line}`)
    }
    for (const { text, address } of links) this.addLink(text, address)
  }

  private addLink(text: string, address: string): void {
    if (this.known.has(address)) {
      if (text !== '') this.add(text)
      return
    }
    this.known.add(address)
    this.linkCount++
    const shown = this.heading === '' ? text : `${this.heading} ${text}`
    if (this.heading !== '') this.headings.push(text)
    this.add(linkLine(shown, address))
  }

  private add(line: string): void {
    const to = this.asideDepth > 0 ? this.aside : this.lines
    if (to.length < LINES_MAX && line !== to.at(-1)) to.push(line)
  }
}

function buttonMark(attributes: string): string {
  const id = attributeOf(attributes, 'id') ?? attributeOf(attributes, 'name')
  const label = attributeOf(attributes, 'aria-label')
  return `[button${id ? ` id=${id}` : ''}] ${label ?? ''} `
}
