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
  readonly links: number
  readonly controls: number
}

export const linkLine = (text: string, address: string): string =>
  text === '' || text === address ? `→ ${address}` : `${text} → ${address}`

/** Addresses within the page, and those that lead nowhere. */
export const leadsAway = (address: string): boolean =>
  address !== '' && !/^(?:#|javascript:|data:|about:)/i.test(address)

export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
