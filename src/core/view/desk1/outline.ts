import { isNumber, specificNames } from '../../../text/names.ts'
import { sanitizeLine, sanitizeText } from '../../../text/sanitize.ts'
import { canonical, type Json } from '../../event/json.ts'
import type { Packet, Step } from '../../packet/packet.ts'
import { pathShortener, type Shorten } from './short-paths.ts'

const MARKS = { open: '[ ]', active: '[>]', done: '[x]', dropped: '[-]' } as const

/**
 * The packet as an outline. Headings stand at the margin in capitals; everything that a tool, a model or the hub said is
 * indented, numbered or behind a bullet, so that it can't pose as a goal or a rule.
 */
export function renderOutline(packet: Packet): string {
  return sectionsOf(packet)
    .flatMap(({ title, lines }) => (lines.length === 0 ? [] : title === '' ? lines : [title, ...lines]))
    .join('\n')
}

interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

function sectionsOf(packet: Packet): Section[] {
  const { constraints, hub_context, earlier } = packet
  const short = pathShortener(packet)
  const first = Math.min(...[...packet.thoughts, ...packet.recent_actions].map(({ ref }) => ref))
  return [
    { title: '', lines: pinnedLines(packet) },
    { title: 'RULES', lines: constraints.safety.map(bullet) },
    { title: 'THE PERSON SAID', lines: packet.person.flatMap((words) => wordsLines(words.text, words.turn)) },
    { title: 'NODE', lines: packet.node_summary === '' ? [] : [bullet(packet.node_summary)] },
    { title: 'STATE', lines: packet.state_summary === '' ? [] : [bullet(packet.state_summary)] },
    { title: 'PLAN', lines: packet.plan.map(({ text, status }) => `${MARKS[status]} ${sanitizeLine(text)}`) },
    {
      title: 'EARLIER STEPS',
      lines: earlier.filter(({ ref }) => ref < first).map((step) => earlierLine(step, short)),
    },
    { title: 'CHANGED SO FAR', lines: changedLines(packet, short) },
    { title: 'LEFT OUT', lines: packet.omitted.map(bullet) },
    { title: 'SEEN BEFORE', lines: packet.index.map((entry) => seenLine(entry, short)) },
    { title: 'KNOWN', lines: knownLines(packet, false) },
    { title: 'KNOWN BEFORE THE LAST CHANGE', lines: knownLines(packet, true) },
    {
      title: `CODE (${sanitizeLine(packet.hub_freshness ?? '')})`,
      lines: Object.entries(hub_context ?? {}).map(([name, value]) => pairLine(name, value)),
    },
    ...Object.entries(packet.extensions).map(([name, value]) => ({
      title: sanitizeLine(name).toUpperCase(),
      lines: [bullet(plain(value))],
    })),
    {
      title: 'FILES, as they are now (some lines have their number before a bar)',
      lines: packet.files.flatMap(fileLines),
    },
    {
      title: `IN FOCUS ${sanitizeLine(packet.focus?.place ?? '')}`,
      lines: packet.focus === null ? [] : indented(packet.focus.text),
    },
    { title: 'OPEN PROBLEMS', lines: packet.diagnostics.map(bullet) },
    { title: 'FAILED BEFORE', lines: packet.failed_attempts.map(bullet) },
    {
      title: packet.error_count > 1 ? `LAST ERROR (${packet.error_count} so far)` : 'LAST ERROR',
      lines: packet.last_error === null || saysError(packet) ? [] : indented(packet.last_error),
    },
    { title: 'LAST STEPS', lines: stepsLines(packet, first, short) },
    { title: 'CANDIDATES', lines: packet.candidate_actions.map(candidateLine) },
  ]
}

/** Whether the output of the newest step says the last error, or what it quotes. */
function saysError({ last_error, recent_actions }: Packet): boolean {
  const [, quote] = /"(.+?)…?"$/.exec(last_error ?? '') ?? []
  const output = recent_actions.at(-1)?.output ?? ''
  return last_error !== null && output.includes(quote ?? last_error)
}

function pinnedLines({ goal, operation, node, turn, constraints }: Packet): string[] {
  const [first = '', ...rest] = sanitizeText(goal).split('\n')
  const of = constraints.max_turns === null ? '' : ` of ${constraints.max_turns}`
  const on = node.id === '-' ? '' : ` on ${sanitizeLine(node.id)} (${sanitizeLine(node.type)})`
  return [
    `GOAL: ${first}`,
    ...rest.map((line) => `  ${line}`),
    `TASK: ${sanitizeLine(operation)}${on}, turn ${turn}${of}`,
  ]
}

/** Words and steps in the order in which they came, from the first that is more than a line. */
function stepsLines(
  { thoughts, recent_actions, files, earlier }: Packet,
  first: number,
  short: Shorten,
): string[] {
  const inFiles = new Set(files.filter(({ stale }) => stale === null).map(({ ref }) => ref))
  const entries = [
    ...earlier
      .filter(({ ref }) => ref > first)
      .map((step) => ({ ref: step.ref, lines: [earlierLine(step, short)] })),
    ...thoughts.map(({ text, ref }) => ({ ref, lines: ['- you said:', ...indented(text)] })),
    ...recent_actions.map((step) => ({
      ref: step.ref,
      lines: stepLines(step, inFiles.has(step.ref), short),
    })),
  ]
  return entries.sort((a, b) => a.ref - b.ref).flatMap(({ lines }) => lines)
}

function stepLines(step: Step, inFiles: boolean, short: Shorten): string[] {
  const [first = '', ...rest] = sanitizeText(step.call === '' ? step.tool : step.call).split('\n')
  const told = saysItself(step) ? '' : `${endOf(step)}${sanitizeLine(short(step.summary))}`.trimEnd()
  const isInFiles = inFiles && step.output === ''
  const ended = !isInFiles ? told : told === '' ? 'see FILES' : `${told} (see FILES)`
  return [
    `- #${step.ref} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...(ended === '' ? [] : [`  → ${ended}`]),
    ...(step.output === '' ? [] : verbatim(step.output)),
  ]
}

/** Whether call and output show all that the sentence of a success quotes or names. */
function saysItself({ outcome, call, output, summary }: Step): boolean {
  if (outcome !== 'success') return false
  const [, quote] = /^"(.+?)…?"$/.exec(summary) ?? []
  if (quote !== undefined) return output.includes(quote)
  const names = specificNames(summary).filter((name) => output !== '' || !isNumber(name))
  const shown = `${call}\n${output}`.toLowerCase()
  return names.length > 0 && names.every((name) => shown.includes(name))
}

const endOf = ({ outcome }: Step): string =>
  outcome === null
    ? 'NO RESULT YET '
    : outcome === 'error'
      ? 'FAILED: '
      : outcome === 'partial'
        ? 'PARTLY: '
        : ''

const earlierLine = (step: Step, short: Shorten): string => {
  const call = step.call === '' ? '' : `${sanitizeLine(step.call)} → `
  return `- #${step.ref} ${call}${endOf(step)}${sanitizeLine(short(step.summary))}`
}

function fileLines({ path, regions, stale }: Packet['files'][number]): string[] {
  const aside = stale === null ? '' : ` (before the change of #${stale})`
  let next = 0
  const lines = regions.flatMap(({ from, text }, at) => {
    const shown = sanitizeText(text).split('\n')
    const gap = at === 0 || (from > 0 && from === next) ? [] : ['⋮']
    next = from + shown.length
    return [...gap, ...shown.map((line, after) => numbered(from, after) + unlikeHeading(line))]
  })
  return [`- ${sanitizeLine(path)}${aside}`, FENCE, ...lines, FENCE]
}

const NUMBERED_EVERY = 5
const FENCE = '````'
const HEADING =
  /^(?:GOAL:|TASK:|CODE \(|FILES, |IN FOCUS |LAST ERROR|(?:RULES|THE PERSON SAID|NODE|STATE|PLAN|EARLIER STEPS|CHANGED SO FAR|LEFT OUT|SEEN BEFORE|KNOWN|KNOWN BEFORE THE LAST CHANGE|OPEN PROBLEMS|FAILED BEFORE|LAST STEPS|CANDIDATES)$|````)/

/**
 * Text as it was, without a mark before each line: whoever edits a file has to quote it exactly. It stands between two
 * fences, and a line in it that could be taken for a fence or for one of our headings is moved in by a space.
 */
const verbatim = (text: string): string[] => [
  FENCE,
  ...sanitizeText(text).split('\n').map(unlikeHeading),
  FENCE,
]

const unlikeHeading = (line: string): string => (mayBeHeading(line) && HEADING.test(line) ? ` ${line}` : line)

/** Headings begin with a capital, fences with a backtick. Most lines of text begin with neither. */
function mayBeHeading(line: string): boolean {
  const first = line.charCodeAt(0)
  return (first >= 65 && first <= 90) || first === 96
}

/** Some lines carry their number, as on a ruler: all of them would take a quarter of the space. */
const numbered = (from: number, after: number): string =>
  from > 0 && (after === 0 || (from + after) % NUMBERED_EVERY === 0) ? `${from + after}|` : ''

function wordsLines(text: string, turn: number): string[] {
  const [first = '', ...rest] = sanitizeText(text).split('\n')
  return [`- (turn ${turn}) ${first}`, ...rest.map((line) => `  ${line}`)]
}

const seenLine = ({ kind, path, names }: Packet['index'][number], short: Shorten): string =>
  bullet(`in ${kind === 'file' ? short(path) : `${kind}s`}: ${names}`)

const changedLines = ({ changed }: Packet, short: Shorten): string[] =>
  changed.length === 0
    ? []
    : [bullet(`${changed.map(({ path }) => short(path)).join(', ')} (last at #${changed.at(-1)?.ref})`)]

const candidateLine = ({ tool, args, reason }: Packet['candidate_actions'][number]): string =>
  `- ${sanitizeLine(tool)} ${plain(args)} ${sanitizeLine(reason)}`

const bullet = (text: string): string => `- ${sanitizeLine(text)}`
const knownLines = ({ knowledge }: Packet, isStale: boolean): string[] =>
  Object.entries(knowledge)
    .filter(([, { stale }]) => (stale !== null) === isStale)
    .map(([key, { value }]) => pairLine(key, value))
const pairLine = (key: string, value: Json): string => `- ${sanitizeLine(key)}: ${plain(value)}`
const plain = (value: Json): string => sanitizeLine(typeof value === 'string' ? value : canonical(value))
const indented = (text: string): string[] =>
  sanitizeText(text)
    .split('\n')
    .map((line) => `  ${line}`)
