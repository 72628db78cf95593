import { canonical, isObject, type Json } from '../event/json.ts'
import { SUMMARIZE_CHARS_MAX } from '../limits.ts'
import { cut } from '../packet/cut.ts'
import { notes } from '../packet/notes.ts'
import { cleanLines, type NumberedLine, pickLines, plural, shortLine } from './lines.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'

const NOTES_CHARS_MAX = 12_000

/** For any tool and any output: what was asked, how it ended, and the lines and names worth keeping. */
export const genericSummarizer: Summarizer = {
  name: 'generic',
  summarize(seen: Observation): Summary {
    const text = within(seen.text)
    const lines = cleanLines(text)
    const asked = askedOf(seen)
    const kept = pickLines(numbered(lines), NOTES_CHARS_MAX)
    return {
      summary: `${endOf(seen, lines)} from ${asked}`,
      ...(kept.length > 0 ? { knowledge: { [asked]: notes(sizeOf(lines), kept) } } : {}),
      ...(seen.outcome === 'error'
        ? { failedAttempt: `${asked}: ${shortLine(seen.error ?? lines[0] ?? 'failed')}` }
        : {}),
    }
  },
}

/** Very long output is looked at from both ends: errors stand in the tail as often as in the head. */
export function within(text: string): string {
  if (text.length <= SUMMARIZE_CHARS_MAX) return text
  const half = SUMMARIZE_CHARS_MAX >> 1
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

/** The call in a few words: its tool and the arguments that tell it from others. */
export function askedOf(seen: Pick<Observation, 'tool' | 'args'>): string {
  return cut(`${seen.tool} ${argsInShort(seen.args)}`.trim(), 160)
}

export function argsInShort(args: Json): string {
  if (!isObject(args))
    return args === null ? '' : shortLine(typeof args === 'string' ? args : canonical(args))
  const entries = Object.entries(args as Record<string, Json>)
  const only = entries.length === 1 ? entries[0]?.[1] : undefined
  if (typeof only === 'string') return shortLine(firstLine(only))
  return entries
    .map(
      ([name, value]) =>
        `${name}=${shortLine(firstLine(typeof value === 'string' ? value : canonical(value)))}`,
    )
    .join(' ')
}

const firstLine = (text: string): string => {
  const end = text.indexOf('\n')
  return end === -1 ? text : `${text.slice(0, end)} …`
}

const numbered = (lines: readonly string[]): NumberedLine[] => lines.map((line) => [0, line])

const sizeOf = (lines: readonly string[]): string =>
  plural(lines.filter((line) => line !== '').length, 'line')

function endOf(seen: Observation, lines: readonly string[]): string {
  if (seen.outcome === 'error')
    return `Error: ${shortLine(seen.error ?? lines.find((line) => line !== '') ?? 'no message')}`
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length === 0) return 'No output'
  const first = cut(shortLine(filled[0] ?? ''), 100)
  return filled.length === 1 ? `"${first}"` : `${sizeOf(lines)}, first "${first}",`
}
