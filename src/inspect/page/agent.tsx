import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Overview } from '../../app/inspected/overview.ts'
import type { BlindSpots } from '../../audit/blindspots/spot.ts'
import { time } from '../../audit/visible.ts'
import { isExported, useAnswer, useLive } from './api.ts'
import { VerifyBadge } from './badge.tsx'
import { BlindList } from './blind.tsx'
import { ChangesView } from './changes.tsx'
import { ChartsView } from './charts.tsx'
import { ChatView } from './chat.tsx'
import { CutText } from './cut.tsx'
import { Failure, StandingMark, Top, Waiting } from './frame.tsx'
import { SearchHits } from './hits.tsx'
import { useKeys } from './keys.tsx'
import { SaveLink } from './picture.tsx'
import { agentPath, go, route } from './route.ts'
import { Came, SpeakForm, useActing, useMayAct } from './say.tsx'
import { ShortView } from './short.tsx'
import { Timeline } from './timeline.tsx'
import { TurnView } from './turn.tsx'
import { counted, number, size } from './words.ts'

const MODES = [
  ['short', 'In short'],
  ['turns', 'Turns'],
  ['chat', 'Chat'],
  ['charts', 'Charts'],
  ['blind', 'Blind spots'],
  ['changes', 'Changes'],
] as const

const NO_TURNS: Overview['turns'] = []

/** One agent: what it was asked, its turns as a picture, and one of them opened. */
export function AgentPage({ id }: { readonly id: string }) {
  const base = `agent/${encodeURIComponent(id)}`
  const again = useSignal(0)
  const seen = useSignal<readonly number[]>([])
  const { value, error } = useAnswer<Overview>(`${base}/`, again.value)
  // What takes long is asked anew for each turn of an agent at work, not for each event.
  const later = `${value?.agent.outcome} ${value?.agent.outcome === 'open' ? value.turns.length : value?.agent.events}`
  const blind = useAnswer<BlindSpots>(value ? `${base}/blind` : undefined, later, true)
  const { query, turn: wanted } = route.value
  const last = value?.turns.at(-1)?.turn ?? 0
  const turn = Math.min(wanted ?? last, last)
  useEffect(() => {
    document.title = `${id}: Twotrack`
  }, [id])
  const from = value === undefined ? undefined : value.agent.events + 1
  useFollowing(value?.agent.outcome === 'done' ? undefined : `${base}/live`, again, from)
  useKeys(value?.turns ?? NO_TURNS)
  useMayAct()
  const acting = useActing(id, () => again.value++)
  if (error !== undefined)
    return (
      <div class="page">
        <Top />
        <Failure text={error} />
        {!isExported.value && (
          <p class="empty small">
            <a href="#/">All agents</a>
          </p>
        )}
      </div>
    )
  if (!value) return <Waiting what="Folding the log…" />
  const mode = query.get('mode') ?? (wanted === undefined ? 'short' : 'turns')
  const spots = blind.value?.spots ?? []
  return (
    <div class="page">
      <Top>
        <Heading overview={value} id={id} again={later} />
      </Top>
      {value.agent.outcome === 'damaged' && (
        <Failure text={`${value.agent.summary} What comes before is shown here.`} />
      )}
      {mode !== 'short' && (
        <div class="goal">
          <CutText text={value.goal} lines={1} />
        </div>
      )}
      <Timeline
        turns={value.turns}
        turn={turn}
        seen={seen.value}
        blind={new Set(spots.map((spot) => spot.turn))}
      />
      <nav class="modes segments" aria-label="What is shown of this agent">
        {MODES.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={mode === name}
            onClick={() => {
              if (name === 'short') location.hash = agentPath(id)
              else go({ turn, mode: name === 'turns' ? undefined : name, find: undefined }, true)
            }}
          >
            {title}
            {name === 'blind' && spots.length > 0 && <i>{spots.length}</i>}
          </button>
        ))}
        <FindInRaw />
      </nav>
      <main>
        {query.get('find') ? (
          <SearchHits text={query.get('find') ?? ''} agent={id} />
        ) : mode === 'short' ? (
          <ShortView base={base} overview={value} again={again.value} blind={blind} />
        ) : mode === 'chat' ? (
          <ChatView base={base} again={again.value} />
        ) : mode === 'charts' ? (
          <ChartsView base={base} again={again.value} />
        ) : mode === 'blind' ? (
          <BlindList answer={blind} />
        ) : mode === 'changes' ? (
          <ChangesView base={base} id={id} again={again.value} acting={acting} />
        ) : (
          <TurnView base={base} overview={value} turn={turn} spots={spots} again={again.value} seen={seen} />
        )}
      </main>
      <Came done={acting.done} />
      {!isExported.value && <SpeakForm agent={value.agent} acting={acting} />}
    </div>
  )
}

/** While an agent is at work its page follows; changes that come together are asked for once. */
function useFollowing(
  path: string | undefined,
  again: { value: number; peek(): number },
  from: number | undefined,
) {
  const timer = useSignal<ReturnType<typeof setTimeout> | undefined>(undefined)
  const isOpen = path !== undefined && from !== undefined
  useLive<{ seq: number }>(isOpen ? `${path}?from=${from}` : undefined, () => {
    timer.value ??= setTimeout(() => {
      timer.value = undefined
      again.value = again.peek() + 1
    }, 150)
  })
}

function Heading({
  overview: { agent },
  id,
  again,
}: {
  readonly overview: Overview
  readonly id: string
  readonly again: string
}) {
  const figures = [
    counted(agent.turns, 'turn'),
    `${counted(agent.calls, 'call')}${agent.failed_calls > 0 ? ` (${agent.failed_calls} failed)` : ''}`,
    `${size(agent.raw_bytes)} of raw output`,
    ...(agent.prompt_tokens > 0 ? [`${number(agent.prompt_tokens)} prompt tokens`] : []),
    ...(agent.wall_ms > 0 ? [time(agent.wall_ms)] : []),
  ]
  return (
    <div class="heading">
      <h1>
        <StandingMark of={agent} />
        <span>{agent.node_id === '-' ? id : agent.node_id}</span>
        <span class="tag">{agent.operation}</span>
      </h1>
      <p>
        {figures.join(' · ')}
        {agent.outcome !== 'open' &&
          agent.reason &&
          agent.reason !== 'submitted' &&
          agent.reason !== 'imported' && <em> · ended: {agent.reason.replaceAll('_', ' ')}</em>}
        {agent.run_id !== id && !isExported.value && (
          <>
            {' · '}
            <a href={`#/?run=${encodeURIComponent(agent.run_id)}`} title="All agents of this run">
              {agent.run_id}
            </a>
          </>
        )}
      </p>
      <div class="aside">
        <VerifyBadge path={`agent/${encodeURIComponent(id)}/verify`} again={again} />
        {!isExported.value && (
          <SaveLink
            path={`agent/${encodeURIComponent(id)}/export`}
            name={`${id.replace(/[^\w.-]+/g, '_')}.html`}
            words="Export"
            title="One file to send to a colleague: it opens without a server"
          />
        )}
      </div>
    </div>
  )
}

function FindInRaw() {
  if (isExported.value) return null
  const text = route.value.query.get('find') ?? ''
  return (
    <form
      key={text}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const field = event.currentTarget.elements.namedItem('find')
        if (field instanceof HTMLInputElement) go({ find: field.value.trim() }, true)
      }}
    >
      <input
        id="search"
        type="search"
        name="find"
        defaultValue={text}
        placeholder="Find in raw output"
        aria-label="Find in the raw output of this agent"
      />
    </form>
  )
}
