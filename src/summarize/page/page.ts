import { isObject, type Json } from '../../event/json.ts'

/** A page as a reader sees it, whatever it was written in. */
export interface Page {
  readonly title?: string
  readonly address?: string
  /** `page 2 of 29`, where a browser shows a long page in parts. */
  readonly part?: string
  readonly headings: readonly string[]
  /** Text, headings, controls and links in the order of the page; a link is `text → address`. */
  readonly lines: readonly string[]
  /** Menus and footers: the same on every page of a site. */
  readonly aside: readonly string[]
  /** Whether it has hardly any text of its own: its scripts would make it. */
  readonly scripted?: boolean
  readonly links: number
  readonly controls: number
}

export const linkLine = (text: string, address: string): string =>
  text === '' || text === address ? `→ ${address}` : `${text} → ${address}`

/** Whether a link is worth following: footnote marks (`[12]` → `#note-12`) and scripts are not. */
export const leadsSomewhere = (text: string, address: string): boolean =>
  address !== '' &&
  address !== '#' &&
  !/^(?:javascript:|data:|about:)/i.test(address) &&
  (!address.startsWith('#') || /\p{L}{3}/u.test(text))

/** Whether a line is nothing but links, with at most marks between them: then they say it all. */
export function isOnlyLinks(line: string, links: readonly { readonly text: string }[]): boolean {
  let linked = 0
  for (const { text } of links) linked += text.length + 3
  return links.length > 0 && line.length <= linked
}

/** The address that a call asks for. */
export function addressIn(args: Json): string | undefined {
  if (!isObject(args)) return undefined
  return Object.values(args).find(
    (value): value is string => typeof value === 'string' && /^https?:\/\/\S+$/.test(value),
  )
}
