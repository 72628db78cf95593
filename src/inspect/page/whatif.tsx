import { useSignal } from '@preact/signals'
import type { OtherPacket, Overview } from '../../app/inspected/overview.ts'
import { useAnswer } from './api.ts'
import { DiffLines } from './diff.tsx'
import { Failure } from './frame.tsx'
import { number } from './words.ts'

const LEAST = 256
const MOST = 32_768
/** The slider's steps: each is some percent more than the one before. */
const STEPS = 120

const tokensAt = (step: number): number => Math.round(LEAST * (MOST / LEAST) ** (step / STEPS))
const stepOf = (tokens: number): number =>
  Math.round((Math.log(tokens / LEAST) / Math.log(MOST / LEAST)) * STEPS)

/** The packet of this turn as it would have been with another budget or view. No model is asked; nothing is written. */
export function WhatIfPanel({
  base,
  overview,
  turn,
}: {
  readonly base: string
  readonly overview: Overview
  readonly turn: number
}) {
  const limit = useSignal(overview.limit)
  const view = useSignal(overview.view)
  const path = `${base}/whatif/${turn}?limit=${limit.value}&view=${encodeURIComponent(view.value)}`
  const { value, error, loading } = useAnswer<OtherPacket>(path)
  return (
    <div class="whatif">
      <div class="controls">
        <label>
          Budget
          <input
            type="range"
            min={0}
            max={STEPS}
            value={stepOf(limit.value)}
            aria-valuetext={`${limit.value} tokens`}
            onInput={(event) => {
              limit.value = tokensAt(Number(event.currentTarget.value))
            }}
          />
          <output>{number(limit.value)} tokens</output>
        </label>
        <label>
          View
          <select value={view.value} onChange={(event) => (view.value = event.currentTarget.value)}>
            {overview.views.map((name) => (
              <option key={name} value={name}>
                {name.replace(':', ', as ')}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            limit.value = overview.limit
            view.value = overview.view
          }}
        >
          As it was
        </button>
      </div>
      {error !== undefined && <Failure text={error} />}
      {value && (
        <div class={loading ? 'loading' : ''}>
          <p class="note" role="status">
            The packet would have {number(value.tokens)} tokens; it had {number(value.before)}.
          </p>
          <DiffLines
            lines={value.diff}
            what={
              limit.value === overview.limit && view.value === overview.view
                ? 'This is the packet as it was. Move the budget or choose another view, and see what changes.'
                : 'With these it would have been the same, line by line.'
            }
          />
        </div>
      )}
    </div>
  )
}
