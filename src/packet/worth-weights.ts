/** Fitted by bench/fit-worth.ts, in the order of FACTS. */
export const WEIGHTS: readonly number[] = [
  -0.15, 0.35, 0.31, -0.28, 0.64, -0.76, 1.1, 0.3, 0.69, 0.19, 0.38, -0.38, -0.35, -0.56, -0.39, 0, -0.15,
  0.6, 0.65, -0.24, -0.31,
]
