import { setImmediate } from 'node:timers/promises'
import { changesIn, chatOf } from '../app/inspected/changes.ts'
import { blindSpotsIn, chartsOf, otherPacket, overviewOf } from '../app/inspected/overview.ts'
import { type Looked, searchText, type TextHit } from '../app/inspected/search.ts'
import { turnsThatSaw } from '../app/inspected/seen.ts'
import { inShort } from '../app/inspected/short.ts'
import { inspectedTurn } from '../app/inspected/turn.ts'
import { verifyAll } from '../app/verify.ts'
import { defined, tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { exported } from './export.ts'
import type { Inspector } from './inspector.ts'
import { changesOfAgent, changesOfList } from './live.ts'

export interface PageRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string | undefined
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export type Answered =
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array | AsyncIterable<Uint8Array>; readonly name: string }
  | { readonly each: AsyncIterable<unknown> }

type Answer = Promise<Answered> | Answered

/** What is asked about all agents. */
const general: Readonly<Record<string, (own: Inspector, asked: PageRequest) => Answer>> = {
  'GET agents': async ({ index, actions }, { query, signal }) => {
    // Who types asks for each letter: what nobody waits for any more is not looked for.
    await setImmediate()
    if (signal.aborted) return { json: {} }
    const [text, operation, standing, run, since] = ['text', 'operation', 'standing', 'run', 'since'].map(
      (name) => query.get(name) ?? undefined,
    )
    const page = await index.page({
      ...defined({ text, operation, standing, run, since }),
      from: numberIn(query, 'from', 0),
      most: Math.min(500, numberIn(query, 'most', 100)),
    })
    return { json: { ...page, actions: actions !== undefined } }
  },
  'GET search': ({ store, index }, { query, signal }) => {
    const text = query.get('text') ?? ''
    if (text.trim().length < 2) throw new TwotrackError('bad_argument', 'Give at least two characters.')
    const some = searchText(store, index.candidates(text), text, { signal, inOneLog: HITS_A_LOG })
    return { each: until(some, SEARCH_HITS_MAX) }
  },
  'GET live': ({ store, index, closed }, { signal }) => ({
    each: changesOfList(store, index, AbortSignal.any([signal, closed])),
  }),
}

const SEARCH_HITS_MAX = 200
/** Of one of many. */
const HITS_A_LOG = 3
const ROWS_MAX = 2_000

/** What is asked about one agent; `seq` or `turn` is the number in the address. */
const ofAgent: Readonly<
  Record<string, (own: Inspector, id: string, asked: PageRequest, number: number) => Answer>
> = {
  'GET ': async ({ logs }, id) => ({ json: await overviewOf(await logs.open(id)) }),
  'GET short': async ({ logs }, id) => ({ json: await inShort(await logs.open(id)) }),
  'GET turn': async ({ logs }, id, _, turn) => ({ json: await inspectedTurn(await logs.open(id), turn) }),
  'GET blind': async ({ logs, index }, id, { signal }) => {
    const log = await logs.open(id)
    for (;;)
      try {
        return { json: await blindSpotsIn(log, () => index.idle(signal)) }
      } catch (thrown) {
        // Who asked for it first may have gone; who still waits begins anew, with the packets that there are.
        if (signal.aborted || !(thrown instanceof Error) || thrown.name !== 'AbortError') throw thrown
      }
  },
  'GET charts': async ({ logs, prices }, id) => ({ json: await chartsOf(await logs.open(id), prices) }),
  'GET verify': async ({ store, folder }, id) => ({
    json: (await verifyAll(store, { folder, some: [id] })).logs[0],
  }),
  'GET chat': async ({ logs }, id) => ({ json: await chatOf((await logs.open(id)).history.store, id) }),
  'GET changes': async ({ logs }, id) => ({ json: await changesIn((await logs.open(id)).history, id) }),
  'GET whatif': async ({ logs }, id, { query }, turn) => {
    const [limit, view] = [query.get('limit'), query.get('view')]
    const other = { ...(limit === null ? {} : { limit: Number(limit) }), ...(view === null ? {} : { view }) }
    return { json: await otherPacket(await logs.open(id), turn, other) }
  },
  'GET seen': async ({ logs }, id, { query }, seq) => {
    const place = { from: numberIn(query, 'from', 0), to: numberIn(query, 'to', 0) }
    return { json: await turnsThatSaw(await logs.open(id), seq, place) }
  },
  'GET rows': async ({ outputs }, id, { query }, seq) => {
    const part = query.get('part') ?? 'raw_output'
    const at = query.get('at')
    const most = Math.min(ROWS_MAX, numberIn(query, 'most', 200))
    const row = at === null ? numberIn(query, 'first', 0) : await outputs.rowAt(id, seq, part, Number(at))
    const first = at === null ? row : Math.max(0, row - Math.floor(most / 2))
    return { json: { ...(await outputs.rows(id, seq, part, { first, most })), row } }
  },
  'GET bytes': ({ outputs }, id, { query }, seq) => ({
    bytes: outputs.stream(id, seq, query.get('part') ?? 'raw_output'),
    name: `${id}-${seq}.txt`,
  }),
  'GET find': ({ store }, id, { query, signal }) => ({
    each: searchText(store, [id], query.get('text') ?? '', { signal, inOneLog: SEARCH_HITS_MAX }),
  }),
  'GET live': ({ store, closed }, id, { query, signal }) => ({
    each: changesOfAgent(store, id, numberIn(query, 'from', 1), AbortSignal.any([signal, closed])),
  }),
  'GET export': async (own, id, { query }) => ({
    bytes: await exported(own, id, { redact: query.has('redact') }),
    name: `${id}.html`,
  }),
  'POST act': async ({ actions }, id, { body = '' }) => {
    if (!actions)
      throw new TwotrackError(
        'untrusted',
        'This page only shows. Start it with --allow-actions to act from it.',
      )
    return { json: await actions(id, tryParse(body)) }
  },
}

/** Undefined where there is nothing to ask for at this address. */
export async function answer(own: Inspector, asked: PageRequest): Promise<Answered | undefined> {
  const method = asked.method === 'HEAD' ? 'GET' : asked.method
  const parts = asked.path.split('/').slice(2)
  const [first = '', id = '', what = '', number = '', ...more] = parts
  if (more.length > 0) return undefined
  const wide = parts.length === 1 ? general[`${method} ${first}`] : undefined
  if (wide) return wide(own, asked)
  const narrow =
    first === 'agent' && id !== '' && Object.hasOwn(ofAgent, `${method} ${what}`)
      ? ofAgent[`${method} ${what}`]
      : undefined
  const agentId = decoded(id)
  if (!narrow || agentId === undefined || !/^\d{0,9}$/.test(number)) return undefined
  return narrow(own, agentId, asked, Number(number))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(query.get(name) ?? otherwise)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new TwotrackError('bad_argument', `"${name}" is a whole number from 0 on.`)
}

/** The first so many hits. */
async function* until(all: AsyncIterable<TextHit | Looked>, most: number): AsyncGenerator<TextHit | Looked> {
  let left = most
  for await (const one of all) {
    yield one
    if ('seq' in one && --left === 0) return
  }
}
