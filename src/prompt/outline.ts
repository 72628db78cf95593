import { canonical, type Json } from '../event/json.ts'
import type { Piece } from '../packet/measure.ts'
import { asideOf, isNotes, isSameSubject, type Notes, type NumberedLine, subjectOf } from '../packet/notes.ts'
import type { Action, Packet } from '../packet/packet.ts'
import { cut } from '../text/cut.ts'
import { neutralLine, neutralText } from './sanitize.ts'

/** A name without spaces behind the lines that it stands in. */
const NUMBERED_NAME = /^(\d+(?:,\d+)*) (\S+)$/
/** Older actions are reminders, without their tool. */
const TOOLS_NAMED = 2
const HEAD_CHARS_MAX = 44

/**
 * The packet as a compact outline. Section names stand at the start of a line; whatever came from a tool is
 * indented or behind a bullet and has no line break of its own, so it can never look like a goal or a rule.
 */
export function renderOutline(packet: Packet): string {
  const out: string[] = []
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length > 0) out.push(title, ...lines)
  }
  out.push(`GOAL: ${indented(packet.goal)}`)
  const rules = rulesOf(packet)
  if (rules) out.push(`RULES: ${rules}`)
  out.push(`TASK: ${neutralLine(packet.operation)} on ${nodeOf(packet)}, turn ${packet.turn}`)
  if (packet.state_summary) out.push(`STATE: ${neutralLine(packet.state_summary)}`)
  if (packet.last_error)
    out.push(`LAST ERROR (${packet.error_count} so far): ${neutralLine(packet.last_error)}`)
  section('OPEN PROBLEMS:', packet.diagnostics.map(bullet))
  section('FAILED BEFORE:', packet.failed_attempts.map(bullet))
  section('KNOWN:', knowledgeSection(packet.knowledge))
  for (const [name, value] of Object.entries(packet.extensions)) section(`${title(name)}:`, [jsonLine(value)])
  if (packet.hub_context) {
    const lines = Object.entries(packet.hub_context).map(([key, value]) => pair(key, value))
    section(`CODE NOW (as of ${neutralLine(packet.hub_freshness ?? 'unknown')}):`, lines)
  }
  section(
    'DONE:',
    packet.recent_actions.map((action, at, all) => actionLine(action, at >= all.length - TOOLS_NAMED)),
  )
  if (packet.focus) {
    section(
      `IN FOCUS, ${neutralLine(packet.focus.place)} (#${packet.focus.ref}):`,
      focusLines(packet.focus.text),
    )
  }
  section(
    'CANDIDATES:',
    packet.candidate_actions.map((candidate) => pieceOutline({ in: 'candidate_actions', candidate })),
  )
  if (packet.omitted.length > 0) out.push(`LEFT OUT: ${packet.omitted.map(neutralLine).join(', ')}`)
  return out.join('\n')
}

/** The line or lines that one piece adds to the outline. */
export function pieceOutline(piece: Piece): string {
  switch (piece.in) {
    case 'recent_actions':
      return actionLine(piece.action)
    case 'knowledge':
      return knowledgeLines(piece.key, piece.value, piece.under).join('\n')
    case 'line':
      return noteLine(piece.line, piece.text)
    case 'name':
      return ` ${listed(piece.name)}`
    case 'text':
      return bullet(piece.text)
    case 'lines':
      return focusLines(piece.text).join('\n')
    case 'candidate_actions': {
      const { tool, args, reason } = piece.candidate
      return `- ${neutralLine(tool)} ${neutralLine(canonical(args))}: ${neutralLine(reason)}`
    }
    case 'json':
      return pair(piece.name, piece.value)
  }
}

/** The tool is named where the summary does not do so by itself. */
function actionLine({ ref, tool, summary, outcome }: Action, named = true): string {
  const mark = outcome === 'success' ? '' : ` [${outcome}]`
  const told = summary.includes(' $ ') || summary.toLowerCase().startsWith(tool.toLowerCase())
  return `- #${ref}${mark}${named && !told ? ` ${neutralLine(tool)}:` : ''} ${neutralLine(summary)}`
}

function rulesOf(packet: Packet): string {
  const { max_turns, safety } = packet.constraints
  const turns = max_turns === null ? [] : [`at most ${max_turns} turns`]
  return [...turns, ...safety.map(neutralLine)].join('; ')
}

function nodeOf(packet: Packet): string {
  const summary = packet.node_summary ? `: ${neutralLine(packet.node_summary)}` : ''
  return `${neutralLine(packet.node.id)} (${neutralLine(packet.node.type)})${summary}`
}

/** Notes on one subject follow each other and share one head. */
function knowledgeSection(knowledge: Packet['knowledge']): string[] {
  const lines: string[] = []
  let group: [string, Notes][] = []
  const end = () => {
    if (group.length > 0) lines.push(...groupLines(subjectOf(group.at(-1)?.[0] ?? ''), group))
    group = []
  }
  for (const [key, { value }] of Object.entries(knowledge)) {
    const joins = isNotes(value) && group.every(([other]) => isSameSubject(subjectOf(other), subjectOf(key)))
    if (group.length > 0 && !joins) end()
    if (isNotes(value)) group.push([key, value])
    else lines.push(pair(key, value))
  }
  end()
  return lines
}

/** Numbered lines of one file need no word on which call showed them; others stand under what they came from. */
function groupLines(head: string, group: readonly [string, Notes][]): string[] {
  const about = group.flatMap(([key, notes]) => (asideOf(key) === '' && notes.about ? [notes.about] : []))
  const numbered: NumberedLine[] = []
  const apart: string[] = []
  const names: string[] = []
  for (const [key, notes] of group) {
    if (needsHead(key, notes))
      apart.push(
        `  ${neutralLine(asideOf(key))}:`,
        ...notes.lines.map(([line, text]) => noteLine(line, text)),
      )
    else numbered.push(...notes.lines)
    names.push(...(notes.names ?? []))
  }
  const sorted = numbered.every(([line]) => line > 0) ? numbered.sort(([a], [b]) => a - b) : numbered
  const title = `- ${neutralLine(shortHead(head))}`
  const below = [...sorted.map(([line, text]) => noteLine(line, text)), ...apart]
  if (below.length === 0 && about.length === 0 && names.length > 0) return [`${title}: ${inOneRow(names)}`]
  return [
    about.length > 0 ? `${title}: ${neutralLine(about.join('; '))}` : title,
    ...below,
    ...(names.length > 0 ? [`  also ${inOneRow(names)}`] : []),
  ]
}

/** Names with the lines they stand in, in the order of these; one known from several notes is said once. */
function inOneRow(names: readonly string[]): string {
  const rows = new Map<string, Set<number>>()
  for (const name of names) {
    const [whole, lines = '', text = whole] = NUMBERED_NAME.exec(name) ?? [name]
    const known = rows.get(text) ?? new Set()
    for (const line of lines === '' ? [] : lines.split(',')) known.add(Number(line))
    rows.set(text, known)
  }
  const sorted = [...rows].map(([text, lines]) => ({ text, lines: [...lines].sort((a, b) => a - b) }))
  sorted.sort((a, b) => (a.lines[0] ?? Number.MAX_VALUE) - (b.lines[0] ?? Number.MAX_VALUE))
  return sorted.map(({ text, lines }) => [lines.join(','), listed(text)].filter(Boolean).join(' ')).join(' ')
}

/** Names stand apart by a space: one that has a space of its own is quoted. */
const listed = (name: string): string => (/\s/.test(name) ? `"${neutralLine(name)}"` : neutralLine(name))

/** A command is reminded of by its beginning; a path is needed whole. */
const shortHead = (head: string): string => (head.includes(' ') ? cut(head, HEAD_CHARS_MAX) : head)

const needsHead = (key: string, notes: Notes): boolean =>
  asideOf(key) !== '' && notes.lines.some(([line]) => line === 0)

function knowledgeLines(key: string, value: Json, under: 'subject' | 'lines' | undefined): string[] {
  if (!isNotes(value)) return [pair(key, value)]
  if (under === 'lines') return []
  if (under === 'subject') return [`  ${neutralLine(asideOf(key))}:`]
  return groupLines(subjectOf(key), [[key, value]])
}

const noteLine = (line: number, text: string) =>
  line > 0 ? `  ${line} ${neutralLine(text)}` : `  ${neutralLine(text)}`
const bullet = (text: string) => `- ${neutralLine(text)}`
const pair = (key: string, value: Json) => `- ${neutralLine(key)}: ${plain(value)}`
const plain = (value: Json) =>
  typeof value === 'string' ? neutralLine(value) : neutralLine(canonical(value))
const jsonLine = (value: Json) => `- ${plain(value)}`
const title = (name: string) => neutralLine(name).toUpperCase()
const focusLines = (text: string) =>
  neutralText(text)
    .split('\n')
    .map((line) => `| ${line}`)
const indented = (text: string) => neutralText(text).split('\n').join('\n  ')
