import type fc from 'fast-check'

/** `SEED=123 npx vitest run …` repeats a run; test names print the seed. */
export const SEED = Number(process.env['SEED'] ?? 20_261_115)

export const seeded = (runs: number): fc.Parameters<unknown> => ({ seed: SEED, numRuns: runs })
