import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Turn } from '../../app/turns.ts'
import { time } from '../../audit/visible.ts'
import { isBad } from './keys.tsx'
import { go } from './route.ts'
import { useSize } from './size.ts'
import { counted, number, size } from './words.ts'

const HEIGHT = 56
/** Under the bars: where the packet showed what is pointed at, blind spots, a person. */
const NOTES = 14
/** A few turns do not fill the page. */
const STEP_MAX = 44
/** As much as this makes a bar of full height, unless there is more. */
const WEIGHT_MIN = 256

/** Every turn as a bar, and a slider over them: as high as what came back, in the colour of how it ended. */
export function Timeline({
  turns,
  turn,
  seen,
  blind,
}: {
  readonly turns: readonly Turn[]
  readonly turn: number
  readonly seen: readonly number[]
  readonly blind: ReadonlySet<number>
}) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box, { width: 900, height: HEIGHT }).value
  const hovered = useSignal<number | undefined>(undefined)
  const last = turns.at(-1)?.turn ?? 0
  const step = Math.min(STEP_MAX, width / (last + 1))
  const most = Math.log2(Math.max(WEIGHT_MIN, ...turns.map(weightOf)))
  const shown = new Set(seen)
  const turnAt = (x: number) => Math.max(0, Math.min(last, Math.floor(x / step)))
  const place = (event: PointerEvent) =>
    turnAt(event.clientX - (box.current?.getBoundingClientRect().left ?? 0))
  const told = turns.find((one) => one.turn === (hovered.value ?? turn))
  return (
    <section class="timeline" aria-label="Turns">
      <div
        ref={box}
        class="bars"
        role="slider"
        tabIndex={0}
        aria-label="Turn"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={turn}
        aria-valuetext={told ? sentence(told) : `turn ${turn}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          go({ turn: place(event), see: undefined, line: undefined })
        }}
        onPointerMove={(event) => {
          hovered.value = place(event)
          if (event.buttons === 1 && hovered.value !== turn)
            go({ turn: hovered.value, see: undefined, line: undefined })
        }}
        onPointerLeave={() => {
          hovered.value = undefined
        }}
      >
        <svg width={width} height={HEIGHT + NOTES} aria-hidden="true">
          <rect class="now" x={turn * step} y={0} width={Math.max(3, step)} height={HEIGHT + NOTES} rx={2} />
          {turns.map((one) => {
            const height = 3 + (Math.log2(weightOf(one)) / most) * (HEIGHT - 8)
            const x = one.turn * step
            const wide = Math.max(1, step - (step > 4 ? 1.5 : 0.4))
            return (
              <g key={one.turn}>
                <rect
                  class={`bar ${endOf(one)}`}
                  x={x}
                  y={HEIGHT - height}
                  width={wide}
                  height={height}
                  rx={step > 5 ? 1.5 : 0}
                />
                {shown.has(one.turn) && <rect class="shown" x={x} y={HEIGHT + 2} width={step} height={3} />}
                {blind.has(one.turn) && (
                  <rect class="blind" x={x} y={HEIGHT + 6} width={wide} height={4} rx={1} />
                )}
                {one.person && <circle class="person" cx={x + step / 2} cy={5} r={3} />}
              </g>
            )
          })}
        </svg>
      </div>
      <p class="told">
        {told && sentence(told)}
        <span class="legend">
          <i class="ok" /> succeeded <i class="part" /> in part <i class="bad" /> failed
          {turns.some(({ person }) => person) && (
            <>
              {' '}
              <i class="person" /> a person
            </>
          )}
          {blind.size > 0 && (
            <>
              {' '}
              <i class="blind" /> blind spot
            </>
          )}
        </span>
      </p>
    </section>
  )
}

const weightOf = ({ raw_bytes }: Turn): number => raw_bytes + 1

function endOf(turn: Turn): string {
  if (isBad(turn)) return 'bad'
  if (turn.calls.some(({ outcome }) => outcome === 'partial')) return 'part'
  return turn.calls.length > 0 ? 'ok' : 'none'
}

function sentence({ turn, calls, raw_bytes, wall_ms, prompt_tokens, faults }: Turn): string {
  const tools = [...new Set(calls.map(({ tool }) => tool))].join(', ')
  return [
    `Turn ${turn}`,
    ...(tools === '' ? [] : [tools]),
    ...(raw_bytes > 0 ? [`${size(raw_bytes)} came back`] : []),
    ...(prompt_tokens > 0 ? [`${number(prompt_tokens)} prompt tokens`] : []),
    ...(wall_ms > 0 ? [time(wall_ms)] : []),
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
  ].join(' · ')
}
