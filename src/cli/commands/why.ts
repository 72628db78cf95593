import { History } from '../../audit/history.ts'
import type { Answer, Source, Unseen, Why } from '../../audit/why/answer.ts'
import type { Evidence } from '../../audit/why/evidence.ts'
import type { LeftOut, Life } from '../../audit/why/life.ts'
import type { Mark } from '../../audit/why/marks.ts'
import { whyIn } from '../../audit/why/why.ts'
import { TwotrackError } from '../../errors.ts'
import { canonical } from '../../event/json.ts'
import { cut } from '../../text/cut.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentMeant, type WhichOptions } from '../names.ts'
import { bytes, excerpt, paint, print, printJson, room, safe, self, wrapped } from '../output.ts'

export interface WhyOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
}

/** Marks, sources and lines that are printed; `--json` has them all. */
const SOURCES_MAX = 8
const LINES_MAX = 12
const LINE_CHARS_MAX = 200
/** Of a line with its number. */
const LINE_INDENT = 12
const BEFORE_CHARS = 30

/** Where a value of the packet comes from, since when it stands, what it replaced and when it was left out. */
export async function whyCommand(given: readonly string[], options: WhyOptions): Promise<number> {
  const [asked, agent, ...more] = given.toReversed()
  if (asked === undefined || more.length > 0 || (agent === undefined) !== (options.last === true))
    throw new TwotrackError(
      'bad_argument',
      `Name the agent, or say --last, and then one place of its packet, such as /last_error, or text that it shows: ${self} why --last /goal`,
    )
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    const history = await History.open(store, agentId)
    const answer = await whyIn(history, asked, options.turn === undefined ? {} : { turn: options.turn })
    if (options.json) printJson(answer)
    else if ('never_shown' in answer) printUnseen(answer)
    else await printWhy(answer, history)
    return 0
  })
}

function printUnseen({ agent_id, text, never_shown }: Unseen): void {
  print(`No packet of ${safe(agent_id)} showed ${safe(JSON.stringify(cut(text, LINE_CHARS_MAX)))}.`)
  for (const { seq, turn, tool, summarizer, marks } of never_shown)
    print(
      `  raw output #${seq} of turn ${turn} (${safe(tool)}, summarizer ${safe(summarizer)}) has it on line ${marks[0]?.line}`,
    )
  print(paint('dim', `"${self} blindspots ${agent_id}" lists what else was never shown.`))
}

async function printWhy(answer: Extract<Answer, Why>, history: History): Promise<void> {
  const { pointer, turn, value, asked, sources, life, also } = answer
  const shown = asked ?? (typeof value === 'string' ? value : canonical(value))
  print(`${paint('bold', pointer)} after turn ${turn}`)
  print(wrapped(safe(cut(shown, LINE_CHARS_MAX * 2)), 2))
  if (sources.length === 0) print('\nNo event has set it.')
  for (const source of sources.slice(0, SOURCES_MAX)) await printSource(source, asked, history)
  if (sources.length > SOURCES_MAX)
    print(paint('dim', `\n${sources.length - SOURCES_MAX} more sources; --json shows them.`))
  printLife(life)
  if (also.length > 0)
    print(paint('dim', `also in ${also.slice(0, 5).join(', ')}${also.length > 5 ? ', …' : ''}`))
}

async function printSource(source: Source, asked: string | undefined, history: History): Promise<void> {
  const { seq, turn, type, said_by, field, part, call, summarizer, evidence } = source
  print(
    `\nfrom event ${paint('bold', `#${seq}`)} (${type}, turn ${turn}), said by the ${said_by}, at ${field}`,
  )
  if (part !== undefined && part !== asked) print(`  of it       ${excerpt(part, LINE_CHARS_MAX, 14)}`)
  if (call)
    print(`  call        ${excerpt(`#${call.seq} ${call.tool} ${canonical(call.args)}`, LINE_CHARS_MAX, 14)}`)
  if (summarizer)
    print(`  summarizer  ${safe(summarizer.name)}${summarizer.version ? ` ${summarizer.version}` : ''}`)
  for (const one of evidence) await printEvidence(one, history)
}

const WORDS = {
  verbatim: 'as it stands there',
  rewritten: 'every word of it stands there',
  composed: 'made of what is marked',
  stated: 'stated beside the output',
} as const

async function printEvidence(evidence: Evidence, history: History): Promise<void> {
  const { seq, part, how, marks, own_words, pruned } = evidence
  if (pruned) print(`  raw output  ${paint('yellow', 'pruned')}; the event's own field has it:`)
  print(
    `  ${part === 'raw_output' ? 'raw output' : part} of #${seq}, ${bytes(evidence.bytes)}, ${WORDS[how]}:`,
  )
  const text = part.startsWith('/') ? undefined : await history.raw(seq, part)
  const lines =
    text === undefined
      ? marks.map(({ line, text: marked }) => ({
          line,
          text: mark(excerpt(marked, LINE_CHARS_MAX, LINE_INDENT)),
        }))
      : markedLines(text, marks)
  for (const { line, text: marked } of lines.slice(0, LINES_MAX))
    print(`  ${paint('dim', `${String(line).padStart(6)}│`)} ${marked}`)
  if (lines.length > LINES_MAX) print(paint('dim', `        … ${lines.length - LINES_MAX} more lines`))
  if (how === 'composed' && own_words.length > 0)
    print(paint('dim', `  its own words: ${safe(own_words.slice(0, 12).join(' '))}`))
}

/** Bright on a terminal, between quotes elsewhere. */
const mark = (line: string): string => (process.stdout.isTTY ? paint('inverse', line) : `«${line}»`)

/** The lines that hold marks, with the marks in them. */
function markedLines(text: string, marks: readonly Mark[]): { line: number; text: string }[] {
  const lines = text.split('\n')
  const found = new Map<number, string[]>()
  for (const { line, text: marked } of marks)
    for (const [at, part] of marked.split('\n').entries())
      if (part.trim() !== '') found.set(line + at, [...(found.get(line + at) ?? []), part])
  return [...found].map(([line, parts]) => ({ line, text: withMarks(lines[line - 1] ?? '', parts) }))
}

/** Of a long line what stands around the first mark. */
function withMarks(line: string, parts: readonly string[]): string {
  let left = room(LINE_CHARS_MAX, LINE_INDENT)
  const taken = (text: string): string => {
    const shown = cut(safe(text), left)
    left -= shown.length
    return shown
  }
  let marked = ''
  let at = 0
  for (const part of parts) {
    const from = line.indexOf(part, at)
    if (from < 0 || left <= 0) continue
    const before = line.slice(at, from)
    marked += taken(before.length > BEFORE_CHARS ? `…${before.slice(-BEFORE_CHARS)}` : before)
    marked += mark(taken(part))
    at = from + part.length
  }
  return marked + taken(line.slice(at))
}

function printLife({ since, replaced, shown, left_out }: Life): void {
  print('')
  if (since) print(`stands since event #${since.seq} (turn ${since.turn})`)
  for (const { from_turn, to_turn, section, whole } of shown)
    print(
      `  shown after turn${from_turn === to_turn ? ` ${from_turn}` : `s ${from_turn}-${to_turn}`} in ${section}${whole ? '' : ', shortened'}`,
    )
  if (replaced)
    print(
      `replaced (event #${replaced.seq}): ${excerpt(typeof replaced.value === 'string' ? replaced.value : canonical(replaced.value), LINE_CHARS_MAX, 24)}`,
    )
  if (left_out) print(leftOutText(left_out))
}

function leftOutText({ turn, why: reason, seq, limit }: LeftOut): string {
  const by = seq === undefined ? '' : ` by event #${seq}`
  switch (reason) {
    case 'removed':
      return `removed${by} in turn ${turn}`
    case 'replaced':
      return `replaced${by} in turn ${turn}`
    case 'forgotten':
      return `forgotten in turn ${turn}: the state holds no more (${limit})`
    case 'budget':
      return `left out after turn ${turn}: the state still holds it, the packet had no space (${limit})`
  }
}
