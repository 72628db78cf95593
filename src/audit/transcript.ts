import { type ByType, byType } from '../core/event/by-type.ts'
import type { EventFor } from '../core/event/event.ts'
import { isObject, type Json, tryParse } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import type { Store } from '../core/store/store.ts'
import { ownMessage } from '../errors.ts'
import { time } from './visible.ts'

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
  /** Texts of its event were taken out: marks stand in their place. */
  readonly redacted?: true
}

/**
 * The conversation of an agent, from what it was asked to its end. Reads one event at a time. Of one output as many lines
 * are shown, from both ends; all of them unless given.
 */
export async function* transcriptOf(
  store: Store,
  agentId: string,
  { linesMax = Number.POSITIVE_INFINITY }: { readonly linesMax?: number } = {},
): AsyncGenerator<TranscriptPart> {
  for await (const event of store.read(agentId)) {
    const { seq, turn, timestamp } = event
    // A blob that is missing or damaged is `verify`'s to tell of; here the rest can still be read.
    const field: Field = (name) =>
      fieldOf(store, event, name).catch((thrown: unknown) => `[${ownMessage(thrown)}]`)
    const parts = await byType(contents, event, field)
    for (const part of parts ?? []) {
      const text = part.form === 'code' ? cutLines(part.text, linesMax) : part.text.trimEnd()
      yield { seq, turn, timestamp, ...part, text, ...(event.redacted ? { redacted: true } : {}) }
    }
  }
}

type Content = Omit<TranscriptPart, 'seq' | 'turn' | 'timestamp' | 'redacted'>
type Field = (name: string) => Promise<Json | Uint8Array | undefined>

const prose = (who: Content['who'], what: string, text: string): Content => ({
  who,
  what,
  form: 'prose',
  text,
})

/** What is told of an event, by its type; nothing of others. */
const contents: ByType<[Field], Content[] | Promise<Content[]>> = {
  run_start: ({ data }) => [
    ...(data.instructions === '' ? [] : [prose('instructions', 'to the model', data.instructions)]),
    prose('person', 'asks', data.goal),
  ],
  person_message: ({ data }) => [prose('person', 'says', data.text)],
  correction: ({ data }) => [prose('person', `corrects (${data.by})`, data.note)],
  model_response: async (_, field) => {
    const text = String((await field('text')) ?? '').trim()
    return text === '' ? [] : [prose('model', 'says', text)]
  },
  tool_call: async ({ data }, field) => [
    { who: 'model', what: `calls ${data.tool}`, form: 'code', text: argsText(await field('args')) },
  ],
  tool_result: async (event, field) => [await resultPart(event, field)],
  agent_error: ({ data }) => [
    { ...prose('runner', `fault of the ${data.where}`, data.message), failed: true },
  ],
  escalation: ({ data: { answer, reason, model = 'a person' } }) => [
    answer === undefined
      ? prose('runner', `hands over to ${model}`, reason)
      : prose('advice', `from ${model}`, answer),
  ],
  submit_result: ({ data }) => [prose('model', 'hands in', data.summary)],
  proposal: ({ data }) => [prose('runner', 'proposes changes', pathsOf(data.files))],
  accepted: ({ data }) => [prose('person', `accepts (${data.by})`, pathsOf(data.files))],
  rejected: ({ data }) => [
    prose('person', `rejects (${data.by})`, [data.reason, ...data.files].join('\n').trim()),
  ],
  redacted: ({ data }) => [prose('runner', `redacts ${data.pattern}`, `${data.by}: ${data.reason}`)],
  run_end: ({ data }) => [prose('runner', `ends: ${data.reason}`, data.summary)],
}

const pathsOf = (files: readonly { readonly path: string }[]): string =>
  files.map(({ path }) => path).join('\n')

const ANSWERS = { success: 'answers', error: 'fails', partial: 'answers in part' }

async function resultPart(event: EventFor<'tool_result'>, field: Field): Promise<Content> {
  const { tool, outcome, error, duration_ms } = event.data
  const after = duration_ms === undefined ? '' : ` after ${time(duration_ms)}`
  const raw = event.raw === null ? undefined : await field('raw_output')
  const text =
    raw === undefined
      ? `[removed from the log]\n${event.delta?.add_action?.[0]?.summary ?? ''}`.trim()
      : withError(outputLines(raw), error) || '[no output]'
  const part: Content = { who: 'tool', what: `${tool} ${ANSWERS[outcome]}${after}`, form: 'code', text }
  return outcome === 'error' ? { ...part, failed: true } : part
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
