import { isObject, type Json } from '../../event/json.ts'
import { type NumberedLine, notes } from '../../packet/notes.ts'
import { cut } from '../../text/cut.ts'
import { breakLong, cleanLines, pickLines, quoted, unnumbered } from '../../text/lines.ts'
import { intentOf } from '../call/intent.ts'
import { labelOf } from '../call/label.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { within } from '../within.ts'
import { statedError } from './api-error.ts'
import { fieldsOf, isBulky, isEmpty } from './fields.ts'
import { type HttpResponse, headerLines, readHttp, trailingStatus } from './http-response.ts'
import { aboutRecords, type JsonReading, readJson, recordLines } from './lines.ts'
import { jsonOf } from './text.ts'

const FIELDS_SHOWN = 3

/** An answer of an API: JSON, one JSON value a line, or an HTTP response. */
export const json: Summarizer = {
  name: 'json',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind === 'edit' || intent.kind === 'write') return undefined
    const answer = answerOf(seen)
    if (answer === undefined) return undefined
    const { response, value, aside = '' } = answer
    const reading = value === undefined ? undefined : readJson(value)
    const label = labelOf(seen.tool, seen.args, intent)
    const failed = (response?.status ?? 0) >= 400
    const error = value === undefined ? undefined : statedError(value, failed)
    const status = response ? `HTTP ${response.status} ${response.reason}`.trim() : ''
    const told =
      error === undefined
        ? `${shapeOf(value, reading)}${aside}`
        : `${status === '' ? 'Error ' : ''}${quoted(cut(error, 160))}`
    const said = [status, told].filter((part) => part !== '').join(', ')
    const outcome = failed || error !== undefined ? 'error' : seen.outcome
    const lines = linesOf(response, reading)
    return {
      summary: cut(`${said} from ${label}`, 280),
      outcome: outcome === 'error' && hasData(value) ? 'partial' : outcome,
      ...(lines.length > 0
        ? { knowledge: { [label]: notes(aboutOf(reading), pickLines(lines, NOTES_CHARS_MAX)) } }
        : {}),
      ...(outcome === 'error' ? { failedAttempt: cut(`${label}: ${said}`, 200) } : {}),
    }
  },
}

interface Answer {
  readonly response?: HttpResponse
  readonly value?: Json
  /** Says so where only a part of the value was read. */
  readonly aside?: string
}

function answerOf({ output, text, args }: Observation): Answer | undefined {
  const json = jsonOf(output, text)
  if (json !== undefined) return json
  const response = readHttp(within(text)) ?? (isRequest(args) ? withTrailing(text) : undefined)
  if (response === undefined) return undefined
  const body = jsonOf(undefined, response.body)
  if (body !== undefined) return { response, ...body }
  // A page is read as a page.
  return /^\s*<(?:!doctype|html|\?xml)/i.test(response.body) ? undefined : { response }
}

function withTrailing(text: string): HttpResponse | undefined {
  const found = trailingStatus(text)
  return found && { status: found.status, reason: '', headers: [], body: found.body }
}

const isRequest = (args: Json): boolean => {
  const intent = intentOf(args)
  return intent.kind === 'run' && /^(?:curl|http|https|xh|wget)$/.test(intent.program?.name ?? '')
}

/** A GraphQL answer may hold errors and data. */
const hasData = (value: Json | undefined): boolean =>
  isObject(value) && isObject(value['data']) && Object.values(value['data']).some((part) => part !== null)

function shapeOf(value: Json | undefined, reading: JsonReading | undefined): string {
  if (value === undefined || reading === undefined) return ''
  if (isEmpty(value)) return Array.isArray(value) ? 'Nothing: an empty list' : 'Nothing: an empty object'
  if (reading.shape !== '')
    return `${reading.shape}${reading.ids}${reading.head === '' ? '' : `, each with ${namesIn(reading.head)}`}`
  if (Array.isArray(value)) return `${value.length} values`
  const fields = fieldsOf(value as { [key: string]: Json }).filter(([, field]) => !isEmpty(field))
  const [first, ...others] = fields.filter(([, field]) => typeof field !== 'object' && !isBulky(field))
  const states = others.filter(([name]) => /^(?:status|state)$/i.test(name))
  // What it is, how it stands, and then the rest.
  const plain = [...(first ? [first] : []), ...new Set([...states, ...others])].slice(0, FIELDS_SHOWN)
  if (plain.length === 0) return `Fields ${cut(fields.map(([name]) => name).join(', '), 120)}`
  const more = fields.length - plain.length
  const shown = plain.map(([name, field]) => `${name} ${spoken(String(field))}`).join(', ')
  return `${shown}${more > 0 ? ` and ${more} more ${more === 1 ? 'field' : 'fields'}` : ''}`.replaceAll(
    '\n',
    ' ',
  )
}

/** Words of others stand in quotation marks. */
const spoken = (value: string): string => {
  const short = cut(value, 60)
  return short.includes(' ') ? quoted(short) : short
}

const namesIn = (head: string): string => cut(head.replaceAll(' | ', ', '), 120)

const aboutOf = (reading: JsonReading | undefined): string =>
  reading === undefined || reading.shape === '' ? '' : aboutRecords(reading.shape, reading)

function linesOf(response: HttpResponse | undefined, reading: JsonReading | undefined): NumberedLine[] {
  const body = reading ? recordLines(reading) : breakLong(cleanLines(within(response?.body ?? '')))
  const lines = [...body, ...headerLines(response?.headers ?? [])]
  return unnumbered(lines.filter((line) => line.trim() !== ''))
}
