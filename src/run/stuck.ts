import type { EventFor } from '../event/event.ts'
import { canonical } from '../event/json.ts'
import { sha256 } from '../sha256.ts'
import type { AgentRun, Stop } from './run.ts'

/** The same call with the same result, this often in a row, is a loop; so is a cycle of a few calls. */
const SAME_MAX = 3
/** The same call whatever comes of it: a result may hold a time of day, and be the same all the same. */
const SAME_CALL_MAX = 6
const CYCLE_CALLS_MAX = 3
const ERRORS_IN_A_ROW_MAX = 5
const EVENTS_BACK = 120

/** A run whose prompts together would pass their limit with the next one. */
export function spent({ memory, limits }: AgentRun, tokens: () => number): Stop | undefined {
  const { prompt_tokens_max } = limits
  if (prompt_tokens_max === undefined) return undefined
  const next = tokens()
  if (memory.promptTokens + next <= prompt_tokens_max) return undefined
  const summary = `${memory.promptTokens} of ${prompt_tokens_max} prompt tokens used, and the next prompt has ${next}`
  return { reason: 'token_limit', summary }
}

/**
 * A run that does the same again and again, or only fails. Told from the log, so that a resumed run knows too; a
 * run that had ended and is resumed, or was given advice, begins anew.
 */
export async function repeating({ store, memory }: AgentRun): Promise<Stop | undefined> {
  let calls: string[] = []
  let steps: string[] = []
  let errors = 0
  // A cycle is short, and so is what has to be read to find it.
  const from = Math.max(1, memory.head.seq - EVENTS_BACK)
  for await (const event of store.read(memory.agent_id, { from })) {
    if (event.type === 'run_end' || (event.type === 'escalation' && isAnswer(event))) {
      calls = []
      steps = []
      errors = 0
    } else if (event.type === 'tool_call') calls.push(callOf(event))
    else if (event.type === 'tool_result') {
      steps.push(sha256(`${calls.at(-1)}\n${resultOf(event)}`))
      errors = event.data.outcome === 'error' ? errors + 1 : 0
    }
  }
  if (errors >= ERRORS_IN_A_ROW_MAX) return { reason: 'loop', summary: `${errors} calls in a row failed` }
  return cycle(steps, SAME_MAX, ' with the same result') ?? cycle(calls, SAME_CALL_MAX, '')
}

const isAnswer = ({ data, blobs }: EventFor<'escalation'>): boolean =>
  data.answer !== undefined || blobs?.['answer'] !== undefined

const callOf = ({ data, blobs }: EventFor<'tool_call'>): string =>
  `${data.tool} ${blobs?.['args']?.sha256 ?? canonical(data.args ?? null)}`

const resultOf = ({ data, blobs }: EventFor<'tool_result'>): string =>
  `${data.raw_output ?? blobs?.['raw_output']?.sha256 ?? ''}\n${data.error ?? ''}`

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
