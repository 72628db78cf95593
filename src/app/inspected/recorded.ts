import type { Redact } from '../../audit/redact/texts.ts'
import type { Prices } from '../../audit/report/cost.ts'
import type { Store } from '../../core/store/store.ts'
import { verifyAll } from '../verify.ts'
import { changesIn, chatOf } from './changes.ts'
import { type LineChanges, lineChanges } from './line-changes.ts'
import type { InspectedLogs } from './log.ts'
import { blindSpotsIn, chartsOf, overviewOf } from './overview.ts'
import type { Outputs, WholeOutput } from './rows.ts'
import { inShort } from './short.ts'
import { type InspectedTurn, inspectedTurn, partsOf } from './turn.ts'

/** What is asked of a run, for all that can be asked: a page that holds it needs nobody else. */
export type RecordedAnswers = ReadonlyMap<string, unknown>

/** A turn as a file holds it: its lines follow from those of the turn before. */
export interface RecordedTurn extends Omit<InspectedTurn, 'lines' | 'diff'> {
  readonly changes: LineChanges
}

interface Sources {
  readonly store: Store
  readonly folder: string
  readonly prices?: Prices
  readonly logs: InspectedLogs
  readonly outputs: Outputs
}

/** Answers to everything about one agent, without what `redact` takes out. */
export async function recordedAnswers(
  { store, folder, prices, logs, outputs }: Sources,
  id: string,
  redact?: Redact,
): Promise<RecordedAnswers> {
  const log = await logs.open(id)
  const base = `agent/${encodeURIComponent(id)}`
  const answers = new Map<string, unknown>()
  const add = (path: string, answer: unknown) =>
    answers.set(`${base}/${path}`, redact ? hidden(answer, redact) : answer)
  const { logs: verified } = await verifyAll(store, { folder, some: [id] })
  // Outputs come first: what is known as a secret by its name there is one everywhere.
  const changed = new Set<string>()
  for (const [seq, part] of await allParts(store, id)) {
    const media = await outputs.media(id, seq, part)
    const bytes = await outputs.bytes(id, seq, part)
    if (media === 'image') answers.set(`${base}/bytes/${seq}?part=${part}`, bytes.toString('base64'))
    const said = media === 'image' ? '' : bytes.toString('utf8')
    const text = redact ? redact(said) : said
    if (text !== said) changed.add(`${seq} ${part}`)
    const size = text === said ? bytes.length : Buffer.byteLength(text)
    answers.set(`${base}/rows/${seq}?part=${part}`, { bytes: size, media, text } satisfies WholeOutput)
  }
  add('', await overviewOf(log))
  add('short', await inShort(log))
  add('verify', verified[0])
  add('blind', await blindSpotsIn(log))
  add('charts', await chartsOf(log, prices))
  add('chat', await chatOf(log.history.store, id))
  add('changes', await changesIn({ store: log.history.store, shut: true }, id))
  let before: InspectedTurn['lines'] = []
  for (let turn = 0; turn <= log.history.lastTurn; turn++) {
    const answer = await inspectedTurn(log, turn)
    const { lines, diff: _, ...rest } = redact ? withoutSecrets(answer, redact, changed) : answer
    const recorded: RecordedTurn = { ...rest, changes: lineChanges(before, lines) }
    answers.set(
      `${base}/turn/${turn}`,
      redact ? { ...(hidden(rest, redact) as typeof rest), changes: recorded.changes } : recorded,
    )
    before = lines
  }
  return answers
}

async function allParts(store: Store, id: string): Promise<(readonly [number, string])[]> {
  const parts: (readonly [number, string])[] = []
  for await (const event of store.read(id))
    for (const part of partsOf(store, event)) parts.push([event.seq, part])
  return parts
}

/** Every text in a value. */
function hidden(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((one) => hidden(one, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one, redact)]))
}

/** A secret of several lines is only known as one: lines are gone through together. Changed bytes are not pointed at. */
function withoutSecrets(turn: InspectedTurn, redact: Redact, changed: ReadonlySet<string>): InspectedTurn {
  const texts = redact(turn.lines.map(({ text }) => text).join('\n')).split('\n')
  const isSame = texts.length === turn.lines.length
  const lines = texts.map((text, at) => {
    const origin = isSame ? turn.lines[at]?.origin : undefined
    return origin && !changed.has(`${origin.seq} ${origin.part}`) ? { text, origin } : { text }
  })
  return { ...turn, lines, shown: turn.shown.filter(({ seq }) => !changed.has(`${seq} raw_output`)) }
}
