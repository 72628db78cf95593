import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ChartPoint, Charts } from '../../app/inspected/overview.ts'
import { useAnswer } from './api.ts'
import { Failure, Waiting } from './frame.tsx'
import { go } from './route.ts'
import { useSize } from './size.ts'
import { number } from './words.ts'

/** What the packet cost turn by turn beside what the whole conversation would have; and which calls ended how. */
export function ChartsView({ base, again }: { readonly base: string; readonly again: number }) {
  const { value, error } = useAnswer<Charts>(`${base}/charts`, again)
  if (error !== undefined) return <Failure text={error} />
  if (!value) return <Waiting what="Making every packet to count its tokens…" />
  const { points, tools, currency } = value
  const last = points.at(-1)
  const sum = (of: 'packet' | 'history') => points.reduce((all, point) => all + point[of], 0)
  const hasCost = last?.cost !== undefined
  return (
    <div class="charts">
      <figure>
        <figcaption>
          <h3>Tokens of each turn</h3>
          <p>
            Prompts with packets came to {number(sum('packet'))} tokens in all; the whole conversation, sent
            again each turn, to about {number(sum('history'))}.
          </p>
        </figcaption>
        <Lines
          points={points}
          series={[
            { name: 'packet', label: 'packet', of: (point) => point.packet },
            { name: 'history', label: 'full history (about)', of: (point) => point.history },
          ]}
          unit="tokens"
        />
      </figure>
      {hasCost && (
        <figure>
          <figcaption>
            <h3>Cost so far</h3>
          </figcaption>
          <Lines
            points={points}
            series={[{ name: 'cost', label: 'cost', of: ({ cost = 0 }) => cost }]}
            unit={currency}
          />
        </figure>
      )}
      <figure>
        <figcaption>
          <h3>Calls by tool and outcome</h3>
        </figcaption>
        <ToolBars tools={tools} />
      </figure>
    </div>
  )
}

interface Series {
  readonly name: string
  readonly label: string
  readonly of: (point: ChartPoint) => number
}

const HEIGHT = 220
const LEFT = 58
const BOTTOM = 22

function Lines({
  points,
  series,
  unit,
}: {
  readonly points: readonly ChartPoint[]
  readonly series: readonly Series[]
  readonly unit: string
}) {
  const box = useRef<SVGSVGElement>(null)
  const { width } = useSize(box, { width: 720, height: HEIGHT }).value
  const hovered = useSignal<number | undefined>(undefined)
  const most = niceAbove(Math.max(1e-6, ...points.flatMap((point) => series.map(({ of }) => of(point)))))
  const x = (at: number) => LEFT + (at / Math.max(1, points.length - 1)) * (width - LEFT - 8)
  const y = (value: number) => 8 + (1 - value / most) * (HEIGHT - 8 - BOTTOM)
  const at = hovered.value
  const point = at === undefined ? undefined : points[at]
  const figure = (value: number) => (most < 10 ? value.toFixed(4) : number(Math.round(value)))
  return (
    <>
      <svg
        ref={box}
        class="chart"
        height={HEIGHT}
        role="img"
        aria-label={`${series.map(({ label }) => label).join(' and ')} in ${unit} over ${points.length} turns`}
        onPointerMove={(event) => {
          const { left } = event.currentTarget.getBoundingClientRect()
          const share = (event.clientX - left - LEFT) / (width - LEFT - 8)
          const index = Math.round(share * (points.length - 1))
          hovered.value = Math.max(0, Math.min(points.length - 1, index))
        }}
        onPointerLeave={() => {
          hovered.value = undefined
        }}
        onClick={() => {
          if (point) go({ turn: point.turn, mode: undefined }, true)
        }}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share} class="axis">
            <line x1={LEFT} x2={width - 8} y1={y(most * share)} y2={y(most * share)} />
            <text x={LEFT - 8} y={y(most * share) + 4} text-anchor="end">
              {figure(most * share)}
            </text>
          </g>
        ))}
        <text class="axis" x={LEFT} y={HEIGHT - 4}>
          turn {points[0]?.turn}
        </text>
        <text class="axis" x={width - 8} y={HEIGHT - 4} text-anchor="end">
          turn {points.at(-1)?.turn}
        </text>
        {series.map(({ name, of }) => (
          <polyline
            key={name}
            class={`series ${name}`}
            points={points.map((one, index) => `${x(index)},${y(of(one))}`).join(' ')}
          />
        ))}
        {at !== undefined && <line class="cursor" x1={x(at)} x2={x(at)} y1={8} y2={HEIGHT - BOTTOM} />}
        {point &&
          at !== undefined &&
          series.map(({ name, of }) => (
            <circle key={name} class={`series ${name}`} cx={x(at)} cy={y(of(point))} r={3.5} />
          ))}
      </svg>
      <p class="told">
        {series.map(({ name, label, of }) => (
          <span key={name}>
            <i class={`series ${name}`} /> {label}
            {point && <b> {figure(of(point))}</b>}
          </span>
        ))}
        {point ? ` at turn ${point.turn}` : `${unit}; point at it for figures, click to open the turn`}
      </p>
    </>
  )
}

/** The next of these with zeros. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 1.5, 2, 3, 5, 7.5, 10].find((step) => step * power >= value) ?? 10) * power
}

function ToolBars({ tools }: Pick<Charts, 'tools'>) {
  const most = Math.max(1, ...tools.map((one) => one.success + one.partial + one.error))
  if (tools.length === 0) return <p class="empty small">No tool was called.</p>
  return (
    <table class="toolbars">
      <thead>
        <tr>
          <th>Tool</th>
          <th>Calls</th>
          <th>Failed</th>
          <th>
            <span class="unseen">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tools.map(({ tool, success, partial, error }) => (
          <tr key={tool}>
            <th scope="row">{tool}</th>
            <td>{number(success + partial + error)}</td>
            <td>{error > 0 ? number(error) : ''}</td>
            <td>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="ok" width={(success / most) * 100} height={8} />
                <rect class="part" x={(success / most) * 100} width={(partial / most) * 100} height={8} />
                <rect
                  class="bad"
                  x={((success + partial) / most) * 100}
                  width={(error / most) * 100}
                  height={8}
                />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
