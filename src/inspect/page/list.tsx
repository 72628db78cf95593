import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AgentsPage } from '../../app/inspected/index.ts'
import type { IndexedAgent } from '../../app/inspected/index-row.ts'
import { time } from '../../audit/visible.ts'
import { get, useAnswer, useLive } from './api.ts'
import { Failure, StandingMark, Top, Waiting } from './frame.tsx'
import { SearchHits } from './hits.tsx'
import { agentPath, go, route } from './route.ts'
import { SparkBars } from './spark.tsx'
import { ago, counted, number, size } from './words.ts'

const ROW_PX = 58
const BLOCK = 100
const FILTERS = ['text', 'operation', 'standing', 'run', 'since'] as const

/** Agents, the newest first: filtered as the address says, as many as are in sight. */
export function ListPage() {
  const { query } = route.value
  const again = useSignal(0)
  const filter = new URLSearchParams()
  for (const name of FILTERS) if (query.get(name)) filter.set(name, sinceOf(name, query.get(name) ?? ''))
  const { value, error } = useAnswer<AgentsPage>(`agents?${filter}&most=${BLOCK}`, again.value)
  useLive<{ changed: number }>('live', () => {
    again.value++
  })
  useEffect(() => {
    document.title = 'Twotrack: agents'
  }, [])
  const inText = query.get('in')
  return (
    <div class="page">
      <Top />
      <main class="list">
        <Filters page={value} />
        {value && value.left !== 0 && (
          <p class="note" role="status">
            {value.left === undefined
              ? 'Listing the logs…'
              : `Looking whether logs have changed: ${counted(value.left, 'log')} to go.`}{' '}
            What is shown is true already.
          </p>
        )}
        {error !== undefined && <Failure text={error} />}
        {inText !== null ? (
          <TextSearch text={inText.trim()} />
        ) : (
          value && <Rows first={value} filter={filter.toString()} />
        )}
      </main>
    </div>
  )
}

const HOURS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168 }

/** A length of time becomes the moment that it began, to the minute: the same address is the same question for a while. */
function sinceOf(name: string, value: string): string {
  const hours = HOURS[value]
  if (name !== 'since' || hours === undefined) return value
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * 3_600_000).toISOString()
}

function Filters({ page }: { readonly page: AgentsPage | undefined }) {
  const { query } = route.value
  const typed = useSignal('')
  const isRaw = query.has('in')
  const search = (text: string, raw: boolean) =>
    go(raw ? { in: text, text: undefined } : { text, in: undefined })
  // The address may change while the page is open: a link, the way back. Who types is ahead of it.
  const said = query.get('text') ?? query.get('in')?.trim() ?? ''
  useEffect(() => {
    if (document.activeElement?.id !== 'search') typed.value = said
  }, [said])
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        search(typed.value, isRaw)
      }}
    >
      <input
        id="search"
        type="search"
        value={typed.value}
        placeholder={isRaw ? 'Text in raw output, then Enter' : 'Filter by name, goal, file, run…'}
        aria-label={isRaw ? 'Text in raw output' : 'Filter agents'}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          if (!isRaw) search(typed.value, false)
        }}
      />
      <div class="segments" role="group" aria-label="What is searched">
        <button type="button" aria-pressed={!isRaw} onClick={() => search(typed.value, false)}>
          Agents
        </button>
        <button type="button" aria-pressed={isRaw} onClick={() => search(typed.value || ' ', true)}>
          Raw output
        </button>
      </div>
      {!isRaw && (
        <>
          <Choice name="standing" label="Outcome" of={countedNames(page?.standings)} />
          <Choice name="operation" label="Operation" of={countedNames(page?.operations)} />
          <Choice name="since" label="Time" of={TIMES} />
        </>
      )}
      {query.get('run') && (
        <button type="button" class="chip" onClick={() => go({ run: undefined })}>
          {query.get('run')} ×
        </button>
      )}
    </form>
  )
}

const TIMES = [
  ['hour', 'Last hour'],
  ['day', 'Last day'],
  ['week', 'Last week'],
] as const

const countedNames = (counts: Readonly<Record<string, number>> = {}) =>
  Object.entries(counts).map(
    ([name, many]) => [name, `${name.replaceAll('_', ' ')} (${number(many)})`] as const,
  )

const Choice = ({
  name,
  label,
  of,
}: {
  readonly name: string
  readonly label: string
  readonly of: readonly (readonly [value: string, words: string])[]
}) => (
  <select
    aria-label={label}
    value={route.value.query.get(name) ?? ''}
    onChange={(event) => go({ [name]: event.currentTarget.value })}
  >
    <option value="">Any {label.toLowerCase()}</option>
    {of.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
)

const TextSearch = ({ text }: { readonly text: string }) =>
  text.length < 2 ? (
    <div class="empty">
      <h2>Search in raw output</h2>
      <p>
        Every byte that a tool ever gave back, what models said and the arguments of their calls. Write at
        least two characters, then Enter.
      </p>
    </div>
  ) : (
    <SearchHits text={text} />
  )

/** Rows are asked for in blocks, as they come into sight. */
function Rows({ first, filter }: { readonly first: AgentsPage; readonly filter: string }) {
  const box = useRef<HTMLDivElement>(null)
  const from = useSignal(0)
  const seen = useSignal(20)
  const blocks = useSignal<ReadonlyMap<number, readonly IndexedAgent[]>>(new Map())
  useEffect(() => {
    blocks.value = new Map([[0, first.agents]])
  }, [first])
  useEffect(() => {
    box.current?.scrollTo(0, 0)
  }, [filter])
  const measure = () => {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {}
    from.value = Math.max(0, Math.floor(scrollTop / ROW_PX) - 5)
    seen.value = Math.ceil(clientHeight / ROW_PX) + 10
  }
  useEffect(() => {
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const to = Math.min(first.total, from.value + seen.value)
  const wanted = [...new Set([Math.floor(from.value / BLOCK), Math.floor(Math.max(0, to - 1) / BLOCK)])]
  useEffect(() => {
    const gone = new AbortController()
    for (const block of wanted)
      if (!blocks.peek().has(block))
        get<AgentsPage>(`agents?${filter}&from=${block * BLOCK}&most=${BLOCK}`, gone.signal)
          .then(({ agents }) => {
            blocks.value = new Map(blocks.peek()).set(block, agents)
          })
          .catch(() => {})
    return () => gone.abort()
  }, [wanted.join(' '), filter])
  if (first.total === 0)
    return first.left === 0 || filter !== '' ? (
      <Nothing isFiltered={filter !== ''} />
    ) : (
      <Waiting what="Reading the logs for the first time…" />
    )
  const rows = []
  for (let at = from.value; at < to; at++) {
    const agent = blocks.value.get(Math.floor(at / BLOCK))?.[at % BLOCK]
    rows.push(<Row key={at} at={at} agent={agent} />)
  }
  return (
    <>
      <p class="total">{counted(first.total, 'agent')}</p>
      <div class="rows" ref={box} onScroll={measure} tabIndex={-1}>
        <ul style={{ height: `${first.total * ROW_PX}px` }}>{rows}</ul>
      </div>
    </>
  )
}

/** Of others one wants to know what is wrong, not what they were asked. */
const GOOD: ReadonlySet<string> = new Set(['done', 'imported', 'open', 'accepted', 'rejected'])

function Row({ at, agent }: { readonly at: number; readonly agent: IndexedAgent | undefined }) {
  const style = { transform: `translateY(${at * ROW_PX}px)` }
  if (!agent) return <li style={style} class="row waiting" aria-hidden="true" />
  const { agent_id, standing, reason, node_id, operation, goal, summary, turns, calls, failed_calls } = agent
  const title = node_id === '-' || node_id === agent_id ? agent_id : node_id
  return (
    <li style={style}>
      <a class="row" href={agentPath(agent_id)}>
        <StandingMark of={agent} />
        <span class="what">
          <b>{title}</b>
          <small>{GOOD.has(standing) ? goal : summary || reason}</small>
        </span>
        <span class="tag">{operation}</span>
        <SparkBars spark={agent.spark} />
        <span class="figure">
          {counted(turns, 'turn')}
          <small>
            {counted(calls, 'call')}
            {failed_calls > 0 && <em> {failed_calls} failed</em>}
          </small>
        </span>
        <span class="figure">
          {size(agent.raw_bytes)}
          <small>{agent.wall_ms > 0 ? time(agent.wall_ms) : ' '}</small>
        </span>
        <span class="figure when">
          {ago(agent.created)}
          <small>{agent.run_id === agent_id ? '' : agent.run_id}</small>
        </span>
      </a>
    </li>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <div class="empty">
    <h2>{isFiltered ? 'No agent fits' : 'Nothing is recorded here yet'}</h2>
    {isFiltered ? (
      <button type="button" onClick={() => go(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
        Show all agents
      </button>
    ) : (
      <p>
        Record something: <code>twotrack run lint src/</code>, or bring what another harness recorded:{' '}
        <code>twotrack import run.jsonl</code>. This page shows it as it comes.
      </p>
    )}
  </div>
)
