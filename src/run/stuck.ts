import type { AgentRun } from './run.ts'
import type { Recent } from './state.ts'
import type { Stop } from './stop.ts'

/** The same call with the same result, this often in a row, is a loop; so is a cycle of a few calls. */
const SAME_MAX = 3
/** The same call whatever comes of it: a result may hold a time of day, and be the same all the same. */
const SAME_CALL_MAX = 6
const CYCLE_CALLS_MAX = 3
const ERRORS_IN_A_ROW_MAX = 5

/** A run whose prompts together would pass their limit with the next one. */
export function outOfTokens({ state, limits }: AgentRun, tokens: () => number): Stop | undefined {
  const { prompt_tokens_max } = limits
  if (prompt_tokens_max === undefined) return undefined
  const used = state().prompt_tokens
  const next = tokens()
  if (used + next <= prompt_tokens_max) return undefined
  const summary = `${used} of ${prompt_tokens_max} prompt tokens used, and the next prompt has ${next}`
  return { reason: 'token_limit', summary }
}

/** A run that does the same again and again, or only fails. */
export function repeating({ calls, steps, errors_in_a_row }: Recent): Stop | undefined {
  if (errors_in_a_row >= ERRORS_IN_A_ROW_MAX)
    return { reason: 'loop', summary: `${errors_in_a_row} calls in a row failed` }
  return cycle(steps, SAME_MAX, ' with the same result') ?? cycle(calls, SAME_CALL_MAX, '')
}

/** A few steps that came so often, one after the other, at the end. */
function cycle(steps: readonly string[], times: number, how: string): Stop | undefined {
  for (let length = 1; length <= CYCLE_CALLS_MAX; length++) {
    const tail = steps.slice(-length * times)
    if (tail.length < length * times || !tail.every((step, at) => step === tail[at % length])) continue
    const what = length === 1 ? 'the same call' : `the same ${length} calls`
    return { reason: 'loop', summary: `${what}${how} ${times} times in a row` }
  }
  return undefined
}
