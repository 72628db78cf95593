import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Overview } from '../../app/inspected/overview.ts'
import type { InspectedTurn, TurnStep } from '../../app/inspected/turn.ts'
import type { Spot } from '../../audit/blindspots/spot.ts'
import { time } from '../../audit/visible.ts'
import { isExported, useAnswer } from './api.ts'
import { DeskPanel } from './desk.tsx'
import { DiffLines } from './diff.tsx'
import { Failure, Waiting } from './frame.tsx'
import { PacketLines } from './packet.tsx'
import { RawView } from './raw.tsx'
import { go, route } from './route.ts'
import { type Pointed, seeIn, seeText } from './see.ts'
import { WhatIfPanel } from './whatif.tsx'
import { number, size } from './words.ts'

const TABS = [
  ['', 'Packet'],
  ['diff', 'Changed'],
  ['prompt', 'Prompt'],
  ['desk', 'Plan & files'],
  ['whatif', 'What if'],
] as const

/** What the model was shown in a turn beside what was recorded: each line of the one leads to bytes of the other, and back. */
export function TurnView({
  base,
  overview,
  turn,
  spots,
  again,
  seen,
}: {
  readonly base: string
  readonly overview: Overview
  readonly turn: number
  readonly spots: readonly Spot[]
  readonly again: number
  readonly seen: Signal<readonly number[]>
}) {
  const { value, error } = useAnswer<InspectedTurn>(`${base}/turn/${turn}`, again)
  const { query } = route.value
  const tab = query.get('tab') ?? ''
  const side = query.get('side') ?? 'packet'
  const pointed = useSignal<Pointed | undefined>(undefined)
  const chosen = seeIn(query.get('see')) ?? (value && firstOf(value.steps))
  useEffect(() => {
    seen.value = []
    pointed.value = undefined
  }, [turn])
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Making the packet…" />
  return (
    <div class={`split side-${side}`}>
      <div class="sides segments" role="group" aria-label="Side">
        <button type="button" aria-pressed={side === 'packet'} onClick={() => go({ side: undefined })}>
          The packet
        </button>
        <button type="button" aria-pressed={side === 'raw'} onClick={() => go({ side: 'raw' })}>
          What was recorded
        </button>
      </div>
      <section class="panel left" aria-label={`The packet of turn ${value.turn}`}>
        <div class="bar">
          <div class="tabs" role="group" aria-label="Of the packet">
            {TABS.filter(([name]) => name !== 'whatif' || !isExported.value).map(([name, title]) => (
              <button key={name} type="button" aria-pressed={tab === name} onClick={() => go({ tab: name })}>
                {title}
              </button>
            ))}
          </div>
          <span class="figures">
            {number(value.tokens)} tokens
            <small> of {number(overview.limit)}</small>
            {value.redacted.length > 0 && (
              <small class="redacted" title="Texts were taken out of these events on purpose.">
                {` redacted: #${value.redacted.join(', #')}`}
              </small>
            )}
          </span>
        </div>
        {tab === '' && <PacketLines key={turn} turn={value} pointed={pointed} chosen={chosen} />}
        {tab === 'diff' && <DiffLines lines={value.diff} what={`Nothing changed since turn ${turn - 1}.`} />}
        {tab === 'prompt' && <PromptPanel base={base} turn={value} />}
        {tab === 'desk' && <DeskPanel packet={value.packet} />}
        {tab === 'whatif' && <WhatIfPanel base={base} overview={overview} turn={turn} />}
      </section>
      <section class="panel right" aria-label={`What was recorded in turn ${value.turn}`}>
        <Steps steps={value.steps} chosen={chosen} turn={value.turn} />
        {chosen && (
          <RawView
            key={`${chosen.seq} ${chosen.part}`}
            base={base}
            chosen={chosen}
            turn={value}
            pointed={pointed.value}
            spots={spots.filter(({ seq }) => seq === chosen.seq)}
            seen={seen}
          />
        )}
      </section>
    </div>
  )
}

/** What is looked at first: an output, else what else has bytes. */
function firstOf(steps: readonly TurnStep[]): Pointed | undefined {
  const step =
    steps.findLast(({ outcome, bytes = 0 }) => outcome === 'error' && bytes > 0) ??
    steps.find(({ bytes = 0 }) => bytes > 0) ??
    steps.find(({ type }) => type === 'tool_call') ??
    steps.find(({ parts }) => parts.length > 0)
  const [part] = step?.parts ?? []
  return step && part !== undefined ? { seq: step.seq, part, marks: [] } : undefined
}

const ENDS = { success: 'ok', partial: 'part', error: 'bad' } as const

/** The events of a turn; those with bytes can be opened. */
function Steps({
  steps,
  chosen,
  turn,
}: {
  readonly steps: readonly TurnStep[]
  readonly chosen: Pointed | undefined
  readonly turn: number
}) {
  if (steps.length === 0) return <p class="empty small">Nothing else was recorded in turn {turn}.</p>
  return (
    <ul class="steps">
      {steps.map(({ seq, type, title, text, outcome, ms, bytes, parts, redacted }) => {
        const [part] = parts
        const isOpen = chosen?.seq === seq
        const inner = (
          <>
            <span class="seq">#{seq}</span>
            <span class={`kind ${type} ${outcome ? ENDS[outcome] : ''}`} aria-hidden="true" />
            <b>{type === 'tool_call' ? `${title} ` : type === 'tool_result' ? '→ ' : `${title} `}</b>
            <span class="words">{text}</span>
            <small>
              {redacted && <em class="redacted">redacted </em>}
              {bytes === undefined ? '' : size(bytes)}
              {ms === undefined || ms < 1 ? '' : ` ${time(ms)}`}
            </small>
          </>
        )
        return (
          <li key={seq} class={type}>
            {part === undefined ? (
              <div class="step">{inner}</div>
            ) : (
              <button
                type="button"
                class="step"
                aria-pressed={isOpen}
                onClick={() => go({ see: seeText(seq, part) })}
              >
                {inner}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** The prompt as it was sent, byte for byte; where none was recorded, what would have been. */
function PromptPanel({ base, turn }: { readonly base: string; readonly turn: InspectedTurn }) {
  const request = turn.steps.find(({ type }) => type === 'model_request')
  const answer = turn.steps.find(({ type }) => type === 'model_response')
  return (
    <div class="prompt">
      <h3>{request?.parts.includes('prompt') ? 'The exact prompt' : 'Instructions and packet'}</h3>
      {request?.parts.includes('prompt') ? (
        <RawView
          base={base}
          chosen={{ seq: request.seq, part: 'prompt', marks: [] }}
          turn={turn}
          spots={[]}
        />
      ) : (
        <>
          <p class="note">
            {request
              ? 'The prompt was removed from the log. This is what it was made of.'
              : 'No prompt was recorded: this run was made elsewhere. A model here would have been given this.'}
          </p>
          <pre>
            {[turn.instructions, turn.lines.map(({ text }) => text).join('\n')].filter(Boolean).join('\n\n')}
          </pre>
        </>
      )}
      {answer?.parts.includes('completion') && (
        <>
          <h3>The raw completion</h3>
          <RawView
            base={base}
            chosen={{ seq: answer.seq, part: 'completion', marks: [] }}
            turn={turn}
            spots={[]}
          />
        </>
      )}
      {turn.declarations !== '' && (
        <details>
          <summary>Tools as they were declared</summary>
          <pre>{turn.declarations}</pre>
        </details>
      )}
    </div>
  )
}
