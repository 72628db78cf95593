/** One observation: its facts, whether it was right, and how much it counts. */
export interface Sample {
  readonly facts: Float32Array
  readonly right: boolean
  readonly weight: number
}

const ROUNDS_MAX = 12
const STEP_MIN = 1e-3
/** Pulls weights to 0, so that facts that go together share theirs. */
const RIDGE = 5

/** Logistic regression by Newton's method, with an intercept that is not given back. */
export function logistic(samples: readonly Sample[], facts: number): number[] {
  const size = facts + 1
  const weights = new Float64Array(size)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const slope = new Float64Array(size)
    const bend = Array.from({ length: size }, () => new Float64Array(size))
    for (const sample of samples) observe(sample, weights, slope, bend)
    for (let at = 0; at < facts; at++) {
      slope[at] = (slope[at] ?? 0) - RIDGE * (weights[at] ?? 0)
      const row = bend[at]
      if (row) row[at] = (row[at] ?? 0) + RIDGE
    }
    const step = solve(bend, slope)
    for (let at = 0; at < size; at++) weights[at] = (weights[at] ?? 0) + (step[at] ?? 0)
    if (step.every((change) => Math.abs(change) < STEP_MIN)) break
  }
  return [...weights.slice(0, facts)]
}

/** Adds what one sample says of the slope and the bend of the likelihood. */
function observe(
  { facts, right, weight }: Sample,
  weights: Float64Array,
  slope: Float64Array,
  bend: readonly Float64Array[],
): void {
  const last = facts.length
  let score = weights[last] ?? 0
  for (let at = 0; at < last; at++) score += (weights[at] ?? 0) * (facts[at] ?? 0)
  const chance = 1 / (1 + Math.exp(-score))
  const pull = weight * ((right ? 1 : 0) - chance)
  const spread = weight * chance * (1 - chance)
  for (let i = 0; i <= last; i++) {
    const fact = i === last ? 1 : (facts[i] ?? 0)
    if (fact === 0) continue
    slope[i] = (slope[i] ?? 0) + pull * fact
    const row = bend[i]
    if (!row) continue
    for (let j = 0; j < last; j++) row[j] = (row[j] ?? 0) + spread * fact * (facts[j] ?? 0)
    row[last] = (row[last] ?? 0) + spread * fact
  }
}

/** Gaussian elimination with pivots; the matrix is used up. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const rows = matrix.map((row, at) => Float64Array.from([...row, right[at] ?? 0]))
  const size = rows.length
  for (let column = 0; column < size; column++) {
    let best = column
    for (let at = column + 1; at < size; at++)
      if (Math.abs(rows[at]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = at
    const pivot = rows[best]
    const other = rows[column]
    if (!pivot || !other || !pivot[column]) continue
    rows[best] = other
    rows[column] = pivot
    for (const row of rows) {
      if (row === pivot) continue
      const times = (row[column] ?? 0) / (pivot[column] ?? 1)
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - times * (pivot[at] ?? 0)
    }
  }
  return Float64Array.from(rows, (row, at) => (row[size] ?? 0) / (row[at] || 1))
}
