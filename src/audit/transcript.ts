import { TwotrackError } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { isObject, type Json, tryParse } from '../event/json.ts'
import { fieldOf } from '../memory/blobs.ts'
import type { Store } from '../store/store.ts'
import { time, visible, visibleLine } from './visible.ts'

/** One thing that was said or done, as a person reads it. */
export interface TranscriptPart {
  readonly seq: number
  readonly turn: number
  readonly timestamp: string
  readonly who: 'instructions' | 'person' | 'model' | 'tool' | 'runner' | 'advice'
  /** What it is: `calls run_linter`, `answers after 1.2 s`. */
  readonly what: string
  /** Prose is read as it flows; code is shown as it stands. */
  readonly form: 'prose' | 'code'
  readonly text: string
  readonly failed?: true
}

export interface TranscriptOptions {
  /** Lines of one output that are shown, from both ends; all of them unless given. */
  readonly lines_max?: number
}

/** The conversation of an agent, from what it was asked to its end. Reads one event at a time. */
export async function* transcriptOf(
  store: Store,
  agentId: string,
  { lines_max = Number.POSITIVE_INFINITY }: TranscriptOptions = {},
): AsyncGenerator<TranscriptPart> {
  for await (const event of store.read(agentId)) {
    const { seq, turn, timestamp } = event
    for (const said of await partsOf(store, event))
      yield {
        ...{ seq, turn, timestamp, ...said },
        text: said.form === 'code' ? cutLines(said.text, lines_max) : said.text.trimEnd(),
      }
  }
}

type Said = Omit<TranscriptPart, 'seq' | 'turn' | 'timestamp'>

const prose = (who: Said['who'], what: string, text: string): Said[] => [{ who, what, form: 'prose', text }]
const fault = (what: string, text: string): Said[] => [
  { who: 'runner', what, form: 'prose', text, failed: true },
]

async function partsOf(store: Store, event: Event): Promise<Said[]> {
  const field = (name: string) => fieldOrGone(store, event, name)
  switch (event.type) {
    case 'run_start':
      return [
        ...(event.data.instructions === ''
          ? []
          : prose('instructions', 'to the model', event.data.instructions)),
        ...prose('person', 'asks', event.data.goal),
      ]
    case 'person_message':
      return prose('person', 'says', event.data.text)
    case 'correction':
      return prose('person', `corrects (${event.data.by})`, event.data.note)
    case 'model_response': {
      const text = String((await field('text')) ?? '').trim()
      return text === '' ? [] : prose('model', 'says', text)
    }
    case 'tool_call':
      return [
        { who: 'model', what: `calls ${event.data.tool}`, form: 'code', text: argsText(await field('args')) },
      ]
    case 'tool_result':
      return [await resultPart(store, event)]
    case 'agent_error':
      return fault(`fault of the ${event.data.where}`, event.data.message)
    case 'escalation':
      return event.data.answer === undefined
        ? prose('runner', `hands over to ${event.data.model ?? 'a person'}`, event.data.reason)
        : prose('advice', `from ${event.data.model ?? 'a person'}`, event.data.answer)
    case 'submit_result':
      return prose('model', 'hands in', event.data.summary)
    case 'workspace_accepted':
      return prose('person', `accepts (${event.data.by})`, event.data.files.join('\n'))
    case 'workspace_rejected':
      return prose(
        'person',
        `rejects (${event.data.by})`,
        [event.data.reason, ...event.data.files].join('\n').trim(),
      )
    case 'tombstone':
      return prose('runner', 'removes raw output', `${event.data.by}: ${event.data.reason}`)
    case 'run_end':
      return prose('runner', `ends: ${event.data.reason}`, event.data.summary)
    default:
      return []
  }
}

async function resultPart(store: Store, event: Extract<Event, { type: 'tool_result' }>): Promise<Said> {
  const { tool, outcome, error, duration_ms } = event.data
  const after = duration_ms === undefined ? '' : ` after ${time(duration_ms)}`
  const raw = event.raw === null ? undefined : await fieldOrGone(store, event, 'raw_output')
  const text =
    raw === undefined
      ? `[removed from the log]\n${event.delta?.add_action?.[0]?.summary ?? ''}`.trim()
      : withError(outputLines(raw), error) || '[no output]'
  return {
    who: 'tool',
    what: `${tool} ${outcome === 'success' ? 'answers' : outcome === 'error' ? 'fails' : 'answers in part'}${after}`,
    form: 'code',
    text,
    ...(outcome === 'error' ? { failed: true } : {}),
  }
}

/** A blob that is missing or damaged is `verify`'s to tell of; here the rest can still be read. */
async function fieldOrGone(
  store: Store,
  event: Event,
  field: string,
): Promise<Json | Uint8Array | undefined> {
  try {
    return await fieldOf(store, event, field)
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code === 'closed') throw thrown
    return `[${thrown.message}]`
  }
}

/** Arguments as a person would write them down: a line each, longer texts below their name. */
function argsText(args: Json | Uint8Array | undefined): string {
  if (args === undefined || args instanceof Uint8Array) return ''
  if (!isObject(args)) return typeof args === 'string' ? args : JSON.stringify(args)
  return Object.entries(args)
    .map(([name, value]) => {
      if (typeof value !== 'string') return `${name}: ${JSON.stringify(value)}`
      return value.includes('\n') ? `${name}:\n${value.replace(/^/gm, '  ')}` : `${name}: ${value}`
    })
    .join('\n')
}

/** Bytes that are no text, or a value that a tool gave, as text. */
function outputLines(raw: Json | Uint8Array): string {
  if (raw instanceof Uint8Array) return `[${raw.length.toLocaleString('en-US')} bytes that are no text]`
  if (typeof raw !== 'string') return JSON.stringify(raw, null, 2)
  return raw === 'null' ? '' : (spreadOut(raw) ?? raw)
}

/** JSON on one line, as a person would lay it out. */
function spreadOut(text: string): string | undefined {
  if (!/^[[{]/.test(text) || text.trimEnd().includes('\n')) return undefined
  const value = tryParse(text)
  return value === undefined ? undefined : JSON.stringify(value, null, 2)
}

/** A result that is only an error has no output of its own. */
function withError(output: string, error: string | undefined): string {
  if (error === undefined || output.includes(error)) return output
  return output === '' ? error : `${output}\n${error}`
}

/** The first and last lines of a text, and how many there are between. */
function cutLines(text: string, linesMax: number): string {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= linesMax + 1) return lines.join('\n')
  const head = Math.ceil(linesMax * 0.6)
  const hidden = (lines.length - linesMax).toLocaleString('en-US')
  return lines.toSpliced(head, lines.length - linesMax, `⋮ ${hidden} more lines`).join('\n')
}

/** A part as plain text for a terminal; `turn` says whether it is the first of its turn. */
export function transcriptText(part: TranscriptPart, beginsTurn: boolean): string {
  const body = visible(part.text)
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${part.form === 'code' ? '│ ' : ''}${line}`))
    .join('\n')
  const title = `${part.who} ${visibleLine(part.what)} ${mark(part)}`
  return `${beginsTurn ? `── turn ${part.turn} ${'─'.repeat(50)}\n\n` : ''}${title}\n${part.text === '' ? '' : `${body}\n`}`
}

/** A part as Markdown. Prose is quoted as it is, without HTML and headings of its own; code stands in a fence. */
export function transcriptMarkdown(part: TranscriptPart, beginsTurn: boolean): string {
  const title = `**${part.who}** ${plain(visibleLine(part.what))} ${mark(part)}`
  return `${beginsTurn ? `## Turn ${part.turn}\n\n` : ''}${title}\n${part.text === '' ? '' : `\n${part.form === 'code' ? fenced(part.text) : quoted(part.text)}\n`}`
}

const mark = ({ seq, failed }: TranscriptPart): string => `(#${seq}${failed ? ', failed' : ''})`

function fenced(text: string): string {
  const shown = visible(text)
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${shown}\n${fence}`
}

/** A model's Markdown stays Markdown inside the quotation; what could be HTML does not. */
const quoted = (text: string): string =>
  visible(text)
    .replaceAll('<', '&lt;')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

const plain = (text: string): string => text.replace(/[\\`*[\]<>&~]|\b_|_\b/g, '\\$&')
