import type { Json } from '../event/json.ts'
import { type NumberedLine, notes } from '../packet/notes.ts'
import { cut } from '../text/cut.ts'
import { isBlank, pickLines, plural, unnumbered } from '../text/lines.ts'
import { intentOf } from './call/intent.ts'
import { NOTES_CHARS_MAX } from './generic.ts'
import { looksLikePath, ownNumbers, placedLine } from './numbered.ts'
import type { Summarizer, Summary } from './summarizer.ts'
import { lookAt } from './within.ts'

const APART_MAX = 8

type Hits = ReadonlyMap<string, NumberedLine[]>

/** A search: which files, which lines, told by file so that what is known of one file stands together. */
export const search: Summarizer = {
  name: 'search',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind !== 'search' || seen.outcome === 'error') return undefined
    const looked = lookAt(seen.text)
    const lines = looked.lines.filter((line) => !isBlank(line))
    const asked = `"${cut(intent.pattern, 32)}"`
    if (lines.length === 0)
      return { summary: `Found nothing for ${asked}${intent.path ? ` in ${intent.path}` : ''}` }
    const found = byFile(lines, asked) ?? inOneFile(lines, intent.path, asked)
    return found && { ...found, summary: `${found.summary}${looked.aside}` }
  },
}

/** `path:line:text` lines, or bare paths. */
function byFile(lines: readonly string[], asked: string): Summary | undefined {
  const files = new Map<string, NumberedLine[]>()
  const bare: string[] = []
  const rest: string[] = []
  for (const line of lines) {
    const placed = placedLine(line)
    if (placed) {
      const hits = files.get(placed.path) ?? []
      hits.push([placed.line, placed.text])
      files.set(placed.path, hits)
    } else if (looksLikePath(line.trim())) bare.push(line.trim())
    else rest.push(line)
  }
  const found = lines.length - rest.length
  if (found < lines.length * 0.6) return undefined
  const knowledge = files.size <= APART_MAX ? apart(files, asked) : together(files, asked)
  if (bare.length > 0) knowledge[`files with ${asked}`] = notes('', [], bare)
  const count = files.size + bare.length
  return {
    summary: `Found ${asked} in ${plural(count, 'file')}${files.size > 0 ? `, ${plural(found, 'line')}` : ''}`,
    knowledge,
  }
}

/** Few files: what is known of one file stands together. */
const apart = (files: Hits, asked: string): Record<string, Json> =>
  Object.fromEntries(
    [...files].map(([path, hits]) => [
      `${path} (search ${asked})`,
      notes('', pickLines(hits, NOTES_CHARS_MAX / 2)),
    ]),
  )

/** Many files: one entry, each line with its place. */
function together(files: Hits, asked: string): Record<string, Json> {
  const lines = [...files].flatMap(([path, hits]) =>
    hits.map(([line, text]): NumberedLine => [0, `${path}${line > 0 ? ` ${line}` : ''}: ${text.trim()}`]),
  )
  return { [`search ${asked}`]: notes('', pickLines(lines, NOTES_CHARS_MAX)) }
}

function inOneFile(lines: readonly string[], path: string | undefined, asked: string): Summary | undefined {
  if (path === undefined) return undefined
  const numbered = ownNumbers(lines) ?? unnumbered(lines)
  return {
    summary: `Found ${asked} in ${path}, ${plural(lines.length, 'line')}`,
    knowledge: {
      [`${path} (search ${asked})`]: notes('', pickLines(numbered, NOTES_CHARS_MAX)),
    },
  }
}
