import type { Spark } from '../../app/inspected/spark.ts'

const NAMES = { s: 'ok', p: 'part', e: 'bad', '-': 'none' } as const

const WIDTH = 96
/** A few turns are no wider. */
const STEP_MAX = 6

/** A bar a turn: how it ended, and how much came back. */
export function SparkBars({ spark: { ends, sizes } }: { readonly spark: Spark }) {
  const failed = [...ends].filter((end) => end === 'e').length
  const step = Math.min(STEP_MAX, WIDTH / Math.max(1, ends.length))
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${ends.length} bars, ${failed} with errors`}
    >
      {[...ends].map((end, at) => {
        const height = 4 + Number(sizes[at]) * 1.7
        const name = NAMES[end as keyof typeof NAMES] ?? 'none'
        return <rect key={at} class={name} x={at * step} y={20 - height} width={step * 0.7} height={height} />
      })}
    </svg>
  )
}
