import { eventAt, eventsPage, type RawMatch, rawBytes, searchRaw } from '../app/events.ts'
import { shownAfter } from '../app/replay.ts'
import { type Turn, turnsOf } from '../app/turns.ts'
import { time, visible } from '../audit/visible.ts'
import type { Event } from '../core/event/event.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { withMarks } from './marks.ts'
import { bytes, count, excerpt, type Found, type Lines, paint, table, wrapped } from './output.ts'

/** Which part of a log is to be shown. */
export interface PartOptions {
  readonly event?: number
  readonly turns?: boolean
  readonly from?: number
  readonly most?: number
  readonly search?: string
  readonly bytes?: string
  readonly shown?: number
}

const LINE_CHARS_MAX = 160

/** A part of a log; undefined where all of it, or one event whole, is meant. */
export async function partOf(
  store: Store,
  agentId: string,
  options: PartOptions,
  lineOf: (event: Event) => string,
): Promise<Found | undefined> {
  const { turns, search, from, most, event: seq, shown, bytes: range } = options
  const page = { ...(from === undefined ? {} : { from }), ...(most === undefined ? {} : { most }) }
  if (turns) return turnsFound(await turnsOf(store, agentId))
  if (search !== undefined) return matchesFound(await searchRaw(store, agentId, search, page))
  if (seq !== undefined && range !== undefined)
    return bytesFound(await rawBytes(store, await eventAt(store, agentId, seq), rangeOf(range)))
  if (shown !== undefined) return shownFound(store, agentId, shown, seq)
  if (from === undefined && most === undefined) return undefined
  const found = await eventsPage(store, agentId, page)
  return { json: found, lines: () => [...found.events.map(lineOf), next(found.next)] }
}

const next = (from: number | undefined) =>
  from !== undefined && paint('dim', `More from event ${from} on: --from ${from}`)

function turnsFound(turns: readonly Turn[]): Found {
  const rows = turns.map(({ turn, from, to, prompt_tokens, wall_ms, calls }) => {
    const [first] = calls
    const more = calls.length > 1 ? ` (and ${count(calls.length - 1, 'more call')})` : ''
    const said = first ? `${first.summary || first.tool}${more}` : ''
    const failed = calls.filter(({ outcome }) => outcome === 'error').length
    return [
      turn,
      `#${from}-${to}`,
      prompt_tokens,
      wall_ms > 0 ? time(wall_ms) : '',
      failed,
      excerpt(said, LINE_CHARS_MAX, 40),
    ]
  })
  return {
    json: turns,
    lines: () => [table(['turn', 'events', 'prompt tokens', 'time', 'failed', 'calls'], rows)],
  }
}

/** A line is told once, whatever it holds of what was looked for. */
const placeOf = ({ seq, turn, field, line }: RawMatch): string => `#${seq} turn ${turn} ${field} line ${line}`

const matchesFound = (found: { matches: readonly RawMatch[]; next?: number }): Found => ({
  json: found,
  code: found.matches.length > 0 ? 0 : 1,
  lines: () => [
    found.matches.length === 0 && 'No raw output, prompt or completion holds it.',
    ...[...Map.groupBy(found.matches, placeOf)].map(([place, inLine]) => {
      const parts = inLine.map(({ text }) => text)
      return wrapped(`${place}: ${withMarks(inLine[0]?.in ?? '', parts)}`, 0, 4)
    }),
    next(found.next),
  ],
})

function rangeOf(text: string): { from: number; to: number } {
  const [, from = '', to = ''] = /^(\d{1,12})-(\d{1,12})$/.exec(text) ?? []
  if (to !== '') return { from: Number(from), to: Number(to) }
  throw new TwotrackError('bad_argument', `"${text}" is no range of bytes; write it as 0-4096.`)
}

const bytesFound = ({ bytes: part, ...about }: Awaited<ReturnType<typeof rawBytes>>): Found => ({
  json: { ...about, base64: Buffer.from(part).toString('base64') },
  lines: () => [visible(Buffer.from(part).toString())],
})

async function shownFound(store: Store, agentId: string, turn: number, seq?: number): Promise<Found> {
  const found = await shownAfter(store, agentId, turn, seq)
  const lines = (): Lines => [
    found.length === 0 && `The packet after turn ${turn} shows no bytes of raw output.`,
    ...found.map(({ seq, bytes: total, shown }) => {
      const sum = shown.reduce((all, { from, to }) => all + to - from, 0)
      const places = shown.slice(0, 8).map(({ from, to }) => `${from}-${to}`)
      const more = shown.length > places.length ? ', …' : ''
      return wrapped(`#${seq}: ${bytes(sum)} of ${bytes(total)}, at ${places.join(', ')}${more}`, 0, 4)
    }),
  ]
  return { json: found, lines }
}
