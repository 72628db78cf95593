/** What a tool says of a page, not the page itself. */
export interface Told {
  title?: string
  address?: string
  part?: string
}

const FRONT_LINES_MAX = 8

/** What a browser tool says of a page before it shows it: `Address: …`, `Title: …`, `Showing page 1 of 29`. */
export function frontMatter(lines: readonly string[]): { told: Told; from: number } {
  const told: Told = {}
  let from = 0
  for (let at = 0; at < Math.min(lines.length, FRONT_LINES_MAX); at++) {
    const line = lines[at] ?? ''
    const field =
      /^[-*# ]{0,4}(?:page |current )?(address|url|title|viewport position|viewport|position):\s*(.*)$/i.exec(
        line.slice(0, 2_000),
      )
    const rule = /^[=-]{3,}$/.test(line)
    if (!field && !rule && line !== '') break
    if (rule && from === 0) break
    if (field || rule) from = at + 1
    const name = field?.[1]?.toLowerCase()
    const value = field?.[2]?.trim() ?? ''
    if (name === 'title') told.title = value
    else if (name === 'address' || name === 'url') told.address = value
    else if (name !== undefined) told.part = /page \d+ of \d+/i.exec(value)?.[0] ?? value
  }
  return { told, from }
}
