import { realpath } from 'node:fs/promises'
import { messageOf } from '../errors.ts'
import { segmentsOf } from '../files/confine.ts'
import { readInside } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { walk } from '../files/walk.ts'
import { linearPattern } from '../linear-pattern.ts'

/** Lines that a search gives, and the longest of them, in characters. */
const SEARCH_MATCHES_MAX = 200
const SEARCH_LINE_CHARS_MAX = 300

interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface Matches {
  readonly matches: readonly Match[]
  /** Whether there are more than are given. */
  readonly more: boolean
  /** Files that could not be searched, and why. */
  readonly unread: readonly string[]
}

/** Lines with this text in them, in files under `path`: plain text, no pattern, so that it takes linear time. */
export async function searchContent(root: string, text: string, path = '.'): Promise<Matches> {
  const matches: Match[] = []
  const unread: string[] = []
  for (const file of await filesUnder(root, path)) {
    let content: Buffer
    try {
      content = await readInside(root, file)
    } catch (thrown) {
      unread.push(messageOf(thrown))
      continue
    }
    if (content.subarray(0, 8_000).includes(0) || !content.includes(text)) continue
    for (const [index, line] of content.toString().split('\n').entries()) {
      const at = line.indexOf(text)
      if (at === -1) continue
      if (matches.length === SEARCH_MATCHES_MAX) return { matches, more: true, unread }
      matches.push({ path: file, line: index + 1, text: around(line, at) })
    }
  }
  return { matches, more: false, unread }
}

/** Paths that match, the whole path compared: `*` stands for any characters, `?` for one. */
export async function searchFiles(
  root: string,
  pattern: string,
): Promise<{ paths: string[]; more: boolean }> {
  const wildcard = linearPattern(
    pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '[\\s\\S]*')
      .replaceAll('?', '[\\s\\S]'),
  )
  const found = (await filesUnder(root, '.')).filter((path) => wildcard.matches(path))
  return { paths: found.slice(0, SEARCH_MATCHES_MAX), more: found.length > SEARCH_MATCHES_MAX }
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  const prefix = segmentsOf(path).join('/')
  const { found } = await walk(root, IgnoreRules.of(await realpath(root)))
  return found
    .map((one) => one.path)
    .filter((one) => prefix === '' || one === prefix || one.startsWith(`${prefix}/`))
}

/** The part of a long line that holds the match. */
function around(line: string, at: number): string {
  if (line.length <= SEARCH_LINE_CHARS_MAX) return line.trimEnd()
  const start = Math.max(0, Math.min(at - SEARCH_LINE_CHARS_MAX / 3, line.length - SEARCH_LINE_CHARS_MAX))
  return line.slice(start, start + SEARCH_LINE_CHARS_MAX)
}
