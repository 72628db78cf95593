import { canonical } from '../event/json.ts'
import { sha256 } from '../sha256.ts'
import type { AgentRun, Stop } from './run.ts'

/** The same call with the same result, this often in a row, is a loop; so is a cycle of a few calls. */
const SAME_MAX = 3
const CYCLE_CALLS_MAX = 3
const ERRORS_IN_A_ROW_MAX = 5
const EVENTS_BACK = 120

/** A run whose prompts together passed their limit. */
export async function spent({ memory, limits }: AgentRun): Promise<Stop | undefined> {
  const { prompt_tokens_max } = limits
  if (prompt_tokens_max === undefined || memory.promptTokens < prompt_tokens_max) return undefined
  return {
    reason: 'token_limit',
    summary: `${memory.promptTokens} prompt tokens of ${prompt_tokens_max} used`,
  }
}

/** A run that does the same again and again, or only fails. Told from the log, so that a resumed run knows too. */
export async function repeating({ store, memory }: AgentRun): Promise<Stop | undefined> {
  const steps: string[] = []
  let call = ''
  let errors = 0
  // A cycle is short, and so is what has to be read to find it.
  for await (const event of store.read(memory.agent_id, {
    from: Math.max(1, memory.head.seq - EVENTS_BACK),
  })) {
    if (event.type === 'escalation') {
      steps.length = 0
      errors = 0
    } else if (event.type === 'tool_call') call = `${event.data.tool} ${canonical(event.data.args ?? null)}`
    else if (event.type === 'tool_result') {
      steps.push(sha256(`${call}\n${event.data.raw_output ?? event.blobs?.['raw_output']?.sha256 ?? ''}`))
      errors = event.data.outcome === 'error' ? errors + 1 : 0
    }
  }
  if (errors >= ERRORS_IN_A_ROW_MAX) return { reason: 'loop', summary: `${errors} calls in a row failed` }
  for (let cycle = 1; cycle <= CYCLE_CALLS_MAX; cycle++) {
    if (!repeats(steps, cycle)) continue
    const what = cycle === 1 ? 'the same call' : `the same ${cycle} calls`
    return { reason: 'loop', summary: `${what} with the same result ${SAME_MAX} times in a row` }
  }
  return undefined
}

function repeats(steps: readonly string[], cycle: number): boolean {
  const needed = cycle * SAME_MAX
  if (steps.length < needed) return false
  const tail = steps.slice(-needed)
  return tail.every((step, at) => step === tail[at % cycle])
}
