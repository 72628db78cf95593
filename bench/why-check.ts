import type { History, TurnEnd } from '../src/audit/history.ts'
import type { Source } from '../src/audit/why/answer.ts'
import { type Leaf, leavesOf, pathOf, valueAt } from '../src/audit/why/leaves.ts'
import { sourcesOf } from '../src/audit/why/why.ts'
import { canonical, type Json } from '../src/core/event/json.ts'
import { fold } from '../src/core/packet/fold.ts'
import type { State } from '../src/core/packet/state.ts'
import { viewOf } from '../src/core/view/prompt.ts'

/** What a leaf turned out to be. `fault` names what is wrong with its source. */
type Verdict =
  | 'verbatim'
  | 'rewritten'
  | 'composed'
  | 'stated'
  | 'counted'
  | 'empty'
  | { readonly fault: string }

/** Names with structure: what a summarizer can't have made up. Numbers may be counts. */
const NAME = /^(?=.*[A-Za-z]{2}).*(?:[_./:$@-]|[a-z][A-Z])/
const COUNTED = new Set(['turn', 'error_count', 'omitted', 'packet_version'])

export class WhyTally {
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #shown: number
  failed = 0
  leaves = 0

  constructor(show: number) {
    this.#shown = show
  }

  /** Every leaf of the packet after every n-th turn of a log. A value that stays is looked at once. */
  async add(name: string, history: History, every = 1): Promise<void> {
    const known = new Map<string, Verdict>()
    let state: State | undefined
    for (const [at, event] of history.events.entries()) {
      state = fold(state, event)
      if (history.events[at + 1]?.turn === event.turn || event.turn % every !== 0) continue
      const end: TurnEnd = { turn: event.turn, seq: event.seq, state, ...viewOf(state, history.reader) }
      for (const leaf of leavesOf(end.packet as Json)) {
        const item = valueAt(end.packet as Json, leaf.path.slice(0, 2))
        const key = `${leaf.path[0]} ${leaf.path.slice(2).join('/')} ${JSON.stringify(item)}`
        const verdict = known.get(key) ?? (await verdictOf(history, end, leaf))
        known.set(key, verdict)
        this.#count(leaf, verdict, `${name}, turn ${end.turn}`)
      }
    }
  }

  #count(leaf: Leaf, verdict: Verdict, where: string): void {
    this.leaves++
    const section = leaf.path[0] ?? ''
    const kind = typeof verdict === 'string' ? verdict : 'NOT RESOLVED'
    const counts = this.#counts.get(section) ?? new Map<string, number>()
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    this.#counts.set(section, counts)
    if (typeof verdict === 'string') return
    this.failed++
    if (this.failed > this.#shown) return
    console.error(
      `\n${where} ${leaf.pointer}: ${verdict.fault}\n  ${JSON.stringify(leaf.value).slice(0, 400)}`,
    )
  }

  table(): string {
    const kinds = ['verbatim', 'rewritten', 'composed', 'stated', 'counted', 'empty', 'NOT RESOLVED']
    const row = (cells: readonly (string | number)[]) =>
      `| ${cells.map((cell) => cell.toLocaleString('en-US')).join(' | ')} |`
    const total = (kind: string) =>
      [...this.#counts.values()].reduce((sum, counts) => sum + (counts.get(kind) ?? 0), 0)
    return [
      row(['section', ...kinds]),
      row(['---', ...kinds.map(() => '---')]),
      ...[...this.#counts].map(([section, counts]) =>
        row([section, ...kinds.map((kind) => counts.get(kind) ?? 0)]),
      ),
      row(['all', ...kinds.map(total)]),
    ].join('\n')
  }
}

async function verdictOf(history: History, end: TurnEnd, leaf: Leaf): Promise<Verdict> {
  const sources = await sourcesOf(history, end, leaf)
  if (leaf.value === '' || leaf.value === null || (leaf.pointer === '/error_count' && leaf.value === 0))
    return 'empty'
  if (sources.length === 0) return { fault: 'no source' }
  // Blank lines have a source, and nothing in it that could be marked.
  if (typeof leaf.value === 'string' && leaf.value.trim() === '') return 'empty'
  for (const source of sources) {
    const fault = (await faultIn(history, source)) ?? payloadFault(history, source, leaf)
    if (fault !== undefined) return { fault: `${fault} (event ${source.seq} ${source.field})` }
  }
  const evidence = sources.flatMap((source) => source.evidence)
  const isCounted =
    COUNTED.has(leaf.path[0] ?? '') ||
    ['turn', 'ref', 'source_turn', 'from', 'stale', 'known', 'what'].includes(leaf.path.at(-1) ?? '')
  if (isCounted) return 'counted'
  if (evidence.some(({ how, marks }) => how === 'stated' && marks.length > 0)) return 'stated'
  const own = evidence.flatMap(({ own_words }) => own_words).filter((word) => NAME.test(word))
  const covered = lostWords(String(leaf.value), sources)
  if (covered !== undefined) return { fault: `not in the marked bytes: ${covered}` }
  if (own.length > 0) return { fault: `names that stand nowhere: ${own.slice(0, 5).join(', ')}` }
  return evidence.some(({ how }) => how === 'composed')
    ? 'composed'
    : evidence.some(({ how }) => how === 'rewritten')
      ? 'rewritten'
      : 'verbatim'
}

/** The bytes at a mark's place are the mark's text, read again from the store. */
async function faultIn(history: History, { evidence }: Source): Promise<string | undefined> {
  if (evidence.length === 0) return 'no evidence'
  for (const { seq, part, marks, bytes } of evidence) {
    const event = history.event(seq)
    const text = part.startsWith('/')
      ? inText(valueAt(event as unknown as Json, pathOf(part) ?? []))
      : ((await history.raw(seq, part)) ?? '')
    const raw = Buffer.from(text)
    if (marks.length === 0 && bytes > 0) return `nothing marked in ${part}`
    for (const { from, to, text: marked } of marks)
      if (raw.subarray(from, to).toString('utf8') !== marked)
        return `${part} holds something else at ${from}-${to}`
  }
  return undefined
}

/** The event's own field exists; a part that is said to come from it stands in it. */
function payloadFault(history: History, { seq, field, part }: Source, leaf: Leaf): string | undefined {
  const held = valueAt(history.event(seq) as unknown as Json, pathOf(field) ?? [])
  if (held === undefined) return 'the event has no such field'
  const text = inText(held)
  if (
    part !== undefined &&
    field !== '/data/args' &&
    !part
      .split('\n')
      .every((line) => within(text, line) || line.split('…').every((piece) => within(text, piece)))
  )
    return `the field does not hold ${JSON.stringify(part.slice(0, 80))}`
  return typeof leaf.value === 'number' &&
    field === '/seq' &&
    held !== leaf.value &&
    leaf.path[0] !== 'omitted'
    ? 'the event has another number'
    : undefined
}

const within = (text: string, line: string): boolean =>
  text.includes(line) ||
  text.includes(JSON.stringify(line).slice(1, -1)) ||
  text.toLowerCase().includes(line.toLowerCase())

const inText = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : canonical(value)

/** Of a value that is said to be verbatim or rewritten: words that no mark holds. */
function lostWords(value: string, sources: readonly Source[]): string | undefined {
  if (
    sources.some(({ part, evidence }) => part !== undefined || evidence.some(({ how }) => how === 'composed'))
  )
    return undefined
  const marked = sources
    .flatMap(({ evidence }) => evidence.flatMap(({ marks }) => marks.map(({ text }) => text)))
    .join('\n')
  return value
    .replace(/^⋮ \d+ lines$/gm, '')
    .match(/[\p{L}\p{N}_]+/gu)
    ?.find((word) => !marked.includes(word))
}
