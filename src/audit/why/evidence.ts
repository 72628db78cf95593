import type { Event } from '../../core/event/event.ts'
import { canonical, type Json } from '../../core/event/json.ts'
import type { Origin } from '../../core/packet/state.ts'
import { keyLine } from '../../summarize/highlights.ts'
import { isSpecific } from '../../text/names.ts'
import type { History } from '../history.ts'
import type { Evidence, How } from './answer.ts'
import { pathOf, valueAt } from './leaves.ts'
import { type Match, marksOf, matchIn } from './marks.ts'

/** What may be cut in the data of such an event, and stands whole in its raw part. */
const WHOLE_IN_RAW: Partial<Record<Event['type'], string>> = { tool_call: 'args', model_response: 'text' }

export async function evidenceOf(history: History, origin: Origin, value: string): Promise<Evidence[]> {
  const event = history.event(origin.seq)
  if (!event) return []
  if (event.type === 'tool_result' && origin.field.startsWith('/delta'))
    return ofResult(history, event, origin, value)
  const part = WHOLE_IN_RAW[event.type]
  const isNoted = event.type === 'model_response' && origin.field.startsWith('/delta')
  if (part === undefined || (origin.field !== `/data/${part}` && !isNoted))
    return [ofField(event, origin.field, value)]
  const text = (await history.raw(event.seq, part)) ?? ''
  const match = matchIn(value, text)
  // What was noted of the model's words stands in them, unless these were pruned.
  if (isNoted && match.how === 'composed') return [ofField(event, origin.field, value)]
  return [made(event.seq, part, text, wholeUnless(match, text))]
}

const fieldText = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : canonical(value)

/** A field of the event itself: what a person, a definition or the hub said is recorded nowhere else. */
function ofField(event: Event, field: string, value: string): Evidence {
  const text = fieldText(valueAt(event as unknown as Json, pathOf(field) ?? []))
  return made(event.seq, field, text, wholeUnless(matchIn(value, text), text))
}

const made = (seq: number, part: string, text: string, { how, spans, missing }: Match): Evidence => ({
  seq,
  part,
  bytes: Buffer.byteLength(text),
  how,
  marks: marksOf(text, spans),
  own_words: [...new Set(missing)],
})

/** A value of which no word stands in the text was made of all of it: a count, a judgement. */
const wholeUnless = (match: Match, text: string): Match =>
  match.spans.length > 0 || text === ''
    ? match
    : { ...match, how: 'composed', spans: [{ from: 0, to: text.length }] }

/** A text that a value may have been made of. */
interface Text {
  readonly seq: number
  readonly part: string
  readonly text: string
}

/** What a summarizer said: of the output, of the call, or of both. */
async function ofResult(history: History, event: Event, origin: Origin, value: string): Promise<Evidence[]> {
  const output = await history.raw(event.seq, 'raw_output')
  if (output === undefined) return [{ ...ofField(event, origin.field, value), pruned: true }]
  if (origin.field.endsWith('/outcome')) return [ofJudgement(event.seq, output, value)]
  const planned = plannedItem(event, origin.field)
  const texts: Text[] = [{ seq: event.seq, part: 'raw_output', text: output }]
  const call = history.callOf(event)
  if (call) {
    const args = (await history.raw(call.seq, 'args')) ?? canonical(call.data.args)
    texts.push({ seq: call.seq, part: 'args', text: args })
    texts.push({ seq: call.seq, part: '/data/tool', text: call.data.tool })
    if (planned !== undefined) return [ofItem(call.seq, args, planned, value)]
    // What was written into a file stands in the call, whatever the tool answered.
    if (isWritten(event, origin.field))
      texts.sort((a, b) => Number(b.part === 'args') - Number(a.part === 'args'))
  }
  const found = fromTexts(value, texts)
  const isElsewhere = found.some(({ own_words }) => own_words.some(isName))
  return isElsewhere ? [{ ...ofField(event, origin.field, value), how: 'stated' }, ...found] : found
}

/** Words with structure are nobody's own: they were read somewhere. Numbers may have been counted. */
const isName = (word: string): boolean => /[A-Za-z]{2}/.test(word) && isSpecific(word)

/** The text of the plan's item whose status is asked for. */
function plannedItem({ delta }: Event, field: string): string | undefined {
  const [, at] = /^\/delta\/update_plan\/(\d+)\/status$/.exec(field) ?? []
  return at === undefined ? undefined : delta?.update_plan?.[Number(at)]?.text
}

/** A status is written beside its item, in a word of the tool's own: `in_progress` for active. */
function ofItem(seq: number, args: string, item: string, value: string): Evidence {
  const { spans } = matchIn(item, args)
  const [first] = spans
  const end = first ? args.indexOf('}', first.to) : -1
  const start = first ? args.lastIndexOf('{', first.from) : -1
  const whole = first && start >= 0 && end >= 0 ? [{ from: start, to: end + 1 }] : spans
  return made(seq, 'args', args, { how: 'composed', spans: whole, missing: [value] })
}

const isWritten = ({ delta }: Event, field: string): boolean => {
  const [, at] = /^\/delta\/change_files\/(\d+)\//.exec(field) ?? []
  return at !== undefined && delta?.change_files?.[Number(at)]?.kind !== 'read'
}

/** A joined word may be missing as a whole in one text and by a part in another. */
const lacks = ({ missing }: Match, word: string): boolean =>
  missing.some((other) => other.includes(word) || word.includes(other))

/** The first text that holds the value, else all that hold some of it. */
function fromTexts(value: string, texts: readonly Text[]): Evidence[] {
  const matches = texts.map((one) => ({ ...one, match: matchIn(value, one.text) }))
  const whole = matches.find(({ match }) => match.how !== 'composed')
  if (whole) return [made(whole.seq, whole.part, whole.text, whole.match)]
  const [first, ...rest] = matches
  if (!first) return []
  const missing = first.match.missing.filter((word) => rest.every(({ match }) => lacks(match, word)))
  const how: How = missing.length === 0 ? 'rewritten' : 'composed'
  const some = matches.filter(({ match }) => match.spans.length > 0)
  if (some.length === 0)
    return [made(first.seq, first.part, first.text, wholeUnless(first.match, first.text))]
  return some.map(({ seq, part, text, match }) => made(seq, part, text, { how, spans: match.spans, missing }))
}

/** How a call ended was read from its output: from the line that tells it, else from all of it. */
function ofJudgement(seq: number, output: string, value: string): Evidence {
  const line = value === 'success' ? undefined : keyLine(output.split('\n'), 'error')
  const from = line === undefined ? -1 : output.indexOf(line)
  const spans =
    from >= 0 && line
      ? [{ from, to: from + line.length }]
      : output === ''
        ? []
        : [{ from: 0, to: output.length }]
  return made(seq, 'raw_output', output, { how: 'composed', spans, missing: [value] })
}
