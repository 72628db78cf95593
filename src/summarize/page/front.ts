const FRONT_LINES_MAX = 12

/** What a browser says of a page above its text. */
export interface FrontMatter {
  readonly title?: string
  readonly address?: string
  /** `, page 2 of 29`; empty when it does not say. */
  readonly part: string
  /** The text below it. */
  body(text: string): string
}

/** `Address: …`, `Title: …`, `Viewport position: Showing page 1 of 29`, then a rule. */
export function frontMatter(lines: readonly string[]): FrontMatter {
  const told: { title?: string; address?: string; part: string } = { part: '' }
  let from = 0
  for (let at = 0; at < Math.min(lines.length, FRONT_LINES_MAX); at++) {
    const line = lines[at] ?? ''
    const field =
      /^[-*# ]{0,4}(?:page |current )?(address|url|title|viewport position|viewport|position):\s*(.*)$/i.exec(
        line.slice(0, 2_000),
      )
    const rule = /^[=-]{3,}$/.test(line)
    if ((!field && !rule && line !== '') || (rule && from === 0)) break
    if (field || rule) from = at + 1
    const name = field?.[1]?.toLowerCase()
    const value = field?.[2]?.trim() ?? ''
    if (name === 'title') told.title = value
    else if (name === 'address' || name === 'url') told.address = value
    else if (name !== undefined) {
      const part = /page \d+ of \d+/i.exec(value)?.[0]
      told.part = part === undefined || / 1 of 1$/.test(part) ? '' : `, ${part}`
    }
  }
  return { ...told, body: (text) => (from === 0 ? text : text.split('\n').slice(from).join('\n')) }
}
