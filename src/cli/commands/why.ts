import { withAgent } from '../../app/context.ts'
import type { WhichOptions } from '../../app/names.ts'
import { type RawText, whyOf } from '../../app/why.ts'
import type { Evidence, Source, Unseen, Why } from '../../audit/why/answer.ts'
import { canonical, type Json } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { cut } from '../../text/cut.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import { LINE_CHARS_MAX, LINE_INDENT, mark, markedLines } from '../marks.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, excerpt, type Found, type Lines, paint, safe, self, wrapped } from '../output.ts'

interface WhyOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
}

/** Marks, sources and lines that are printed; `--json` has them all. */
const SOURCES_MAX = 8
const LINES_MAX = 12

/** Where a value of the packet comes from. */
async function whyCommand(given: readonly string[], options: WhyOptions): Promise<Found> {
  const [asked, agent, ...more] = given.toReversed()
  if (asked === undefined || more.length > 0 || (agent === undefined) !== (options.last === true))
    throw new TwotrackError(
      'bad_argument',
      `Name the agent, or say --last, and then one place of its packet, such as /last_error, or text that it shows: ${self} why --last /goal`,
    )
  return withAgent(agent, options, async (store, agentId) => {
    const { answer, raw } = await whyOf(store, agentId, asked, options.turn)
    const lines = 'never_shown' in answer ? unseenLines(answer) : await whyLines(answer, raw)
    return { json: answer, lines: () => lines }
  })
}

const unseenLines = ({ agent_id, text, never_shown }: Unseen): Lines => [
  `No packet of ${safe(agent_id)} showed ${safe(JSON.stringify(cut(text, LINE_CHARS_MAX)))}.`,
  ...never_shown.map(
    ({ seq, turn, tool, summarizer, marks }) =>
      `  raw output #${seq} of turn ${turn} (${safe(tool)}, summarizer ${safe(summarizer)}) has it on line ${marks[0]?.line}`,
  ),
  paint('dim', `"${self} blindspots ${agent_id}" lists what else was never shown.`),
]

const asText = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

async function whyLines(answer: Why, raw: RawText): Promise<Lines> {
  const { pointer, turn, value, asked, before, sources, also } = answer
  const lines: Lines[] = []
  for (const source of sources.slice(0, SOURCES_MAX)) lines.push(await sourceLines(source, asked, raw))
  return [
    `${paint('bold', pointer)} after turn ${turn}`,
    wrapped(safe(cut(asked ?? asText(value), LINE_CHARS_MAX * 2)), 2),
    before && `\n${emptied(before)}:`,
    before && wrapped(safe(cut(before.value, LINE_CHARS_MAX * 2)), 2),
    sources.length === 0 && '\nNo event has set it.',
    ...lines.flat(),
    sources.length > SOURCES_MAX &&
      paint('dim', `\n${sources.length - SOURCES_MAX} more sources; --json shows them.`),
    also.length > 0 &&
      paint('dim', `\nalso in ${also.slice(0, 5).join(', ')}${also.length > 5 ? ', …' : ''}`),
  ]
}

const emptied = ({ emptied_by }: NonNullable<Why['before']>): string =>
  emptied_by === undefined
    ? 'It is set, and this packet does not show it'
    : `Event #${emptied_by} emptied it. Before that it was`

async function sourceLines(source: Source, asked: string | undefined, raw: RawText): Promise<Lines> {
  const { seq, turn, type, said_by, field, part, call, summarizer, evidence, redacted } = source
  const lines: Lines[] = []
  for (const one of evidence) lines.push(await evidenceLines(one, raw))
  return [
    `\nfrom event ${paint('bold', `#${seq}`)} (${type}, turn ${turn}), said by the ${said_by}, at ${field}`,
    redacted && `  ${paint('yellow', 'redacted')}    texts were taken out of this event`,
    part !== undefined && part !== asked && `  of it       ${excerpt(part, LINE_CHARS_MAX, 14)}`,
    call &&
      `  call        ${excerpt(`#${call.seq} ${call.tool} ${canonical(call.args)}`, LINE_CHARS_MAX, 14)}`,
    summarizer &&
      `  summarizer  ${safe(summarizer.name)}${summarizer.version ? ` ${summarizer.version}` : ''}`,
    ...lines.flat(),
  ]
}

const WORDS = {
  verbatim: 'as it stands there',
  rewritten: 'every word of it stands there',
  composed: 'made of what is marked',
  stated: 'stated beside the output',
} as const

async function evidenceLines(evidence: Evidence, raw: RawText): Promise<Lines> {
  const { seq, part, how, marks, own_words, pruned } = evidence
  const text = part.startsWith('/') ? undefined : await raw(seq, part)
  const lines =
    text === undefined
      ? marks.map(({ line, text }) => [line, mark(excerpt(text, LINE_CHARS_MAX, LINE_INDENT))] as const)
      : markedLines(text, marks)
  return [
    pruned && `  raw output  ${paint('yellow', 'pruned')}; the event's own field has it:`,
    `  ${part === 'raw_output' ? 'raw output' : part} of #${seq}, ${bytes(evidence.bytes)}, ${WORDS[how]}:`,
    ...lines
      .slice(0, LINES_MAX)
      .map(([line, marked]) => `  ${paint('dim', `${String(line).padStart(6)}│`)} ${marked}`),
    lines.length > LINES_MAX && paint('dim', `        … ${lines.length - LINES_MAX} more lines`),
    how === 'composed' &&
      own_words.length > 0 &&
      paint('dim', `  its own words: ${safe(own_words.slice(0, 12).join(' '))}`),
  ]
}

export default {
  takes: '<agent-and-pointer...>',
  usage: '[options] <agent> <pointer or text>\n       twotrack why [options] --last <pointer or text>',
  examples: [
    'why lint#3 /last_error',
    'why --last /knowledge/python --turn 7',
    'why import-run "1 of 11 tests failed"   # text as the packet shows it',
  ],
  options: [LAST_AGENT, ['--turn <n>', 'in the packet after this turn (default: the last)', wholeNumber]],
  call: whyCommand,
} satisfies CommandWords
