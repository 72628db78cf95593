import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import { defineTool } from './tool.ts'

/**
 * What `recall` brings back, and the longest line it looks at.
 * @internal
 */
export const RECALL_CHARS_MAX = 3_000
const RECALL_LINE_CHARS_MAX = 400

/** Lines shown before and after one that matches. */
const CONTEXT_LINES = 2
/** Matching lines that are remembered while reading; the best are kept. */
const HITS_MAX = 40
const WORDS_MAX = 12

interface Hit {
  readonly number: number
  readonly score: number
  /** The line itself and those around it, by number. */
  readonly lines: Map<number, string>
}

/** The tool `recall`. The run gives `context.recall`, which reads the log; `excerptOf` is what it needs for that. */
export const recallTool = defineTool({
  name: 'recall',
  description: 'Brings back the lines around some words from the full output of an earlier action.',
  effect: 'pure',
  filesOnly: true,
  input: z.strictObject({
    ref: z.int().positive().describe('the ref of the action'),
    query: z.string().min(1).max(300).describe('words to look for'),
  }),
  async run({ ref, query }, { recall }) {
    if (recall) return recall(ref, query)
    throw new TwotrackError(
      'missing',
      'recall was not granted to this agent; go on with what the packet says.',
    )
  },
})

/**
 * The lines of a raw output that match a query best, with their numbers and neighbours, within a bound. One pass
 * in bounded memory over output of any size; plain text, so that it takes linear time.
 */
export async function excerptOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  query: string,
): Promise<string> {
  const phrase = query.trim().toLowerCase()
  const words = [...new Set(phrase.split(/\s+/))].slice(0, WORDS_MAX)
  const hits: Hit[] = []
  const last: [number, string][] = []
  let open: Hit[] = []
  let number = 0
  for await (const line of linesOf(bytes)) {
    number++
    for (const hit of open) hit.lines.set(number, line)
    open = open.filter((hit) => number < hit.number + CONTEXT_LINES)
    const score = scoreOf(line.toLowerCase(), phrase, words)
    if (score > 0 && !(hits.length === HITS_MAX && score <= (hits.at(-1)?.score ?? 0))) {
      const hit = { number, score, lines: new Map([...last, [number, line]]) }
      hits.splice(placeOf(hits, score), 0, hit)
      hits.length = Math.min(hits.length, HITS_MAX)
      open.push(hit)
    }
    last.push([number, line])
    if (last.length > CONTEXT_LINES) last.shift()
  }
  return hits.length === 0 ? `Nothing in ${number} lines matches "${query}".` : rendered(hits, number)
}

/** Better hits come first; among equals the earlier one. */
function placeOf(hits: readonly Hit[], score: number): number {
  const place = hits.findIndex((hit) => hit.score < score)
  return place === -1 ? hits.length : place
}

function scoreOf(line: string, phrase: string, words: readonly string[]): number {
  if (line.includes(phrase)) return words.length + 1
  return words.filter((word) => line.includes(word)).length
}

function rendered(hits: readonly Hit[], total: number): string {
  const shown = new Map<number, string>()
  let chars = 0
  for (const { lines } of hits) {
    const fresh = [...lines].filter(([number]) => !shown.has(number))
    const cost = fresh.reduce((sum, [number, text]) => sum + text.length + String(number).length + 4, 0)
    if (chars + cost > RECALL_CHARS_MAX && shown.size > 0) break
    for (const [number, text] of fresh) shown.set(number, text)
    chars += cost
  }
  const numbers = [...shown.keys()].sort((one, other) => one - other)
  const body = numbers.map((number, index) => {
    const gap = index > 0 && number !== (numbers[index - 1] ?? 0) + 1 ? '…\n' : ''
    return `${gap}${number}: ${shown.get(number)}`
  })
  return `${numbers.length} of ${total} lines:\n${body.join('\n')}`
}

/** Lines of UTF-8 text, each cut at the limit, whatever its length. */
async function* linesOf(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of bytes) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = (lines.pop() ?? '').slice(0, RECALL_LINE_CHARS_MAX)
    for (const line of lines) yield line.slice(0, RECALL_LINE_CHARS_MAX)
  }
  held += decoder.decode()
  if (held !== '') yield held
}
