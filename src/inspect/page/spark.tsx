import type { Spark } from '../../app/inspected/spark.ts'

const NAMES = { s: 'ok', p: 'part', e: 'bad', '-': 'none' } as const

/** A bar a turn: how it ended, and how much came back. */
export function SparkBars({ spark: { ends, sizes } }: { readonly spark: Spark }) {
  const failed = [...ends].filter((end) => end === 'e').length
  return (
    <svg
      class="spark"
      viewBox="0 0 96 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${ends.length} bars, ${failed} with errors`}
    >
      {[...ends].map((end, at) => {
        const height = 4 + Number(sizes[at]) * 1.7
        const name = NAMES[end as keyof typeof NAMES] ?? 'none'
        return <rect key={at} class={name} x={at * 2} y={20 - height} width={1.4} height={height} />
      })}
    </svg>
  )
}
