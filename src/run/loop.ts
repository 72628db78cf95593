import { ruleView } from '../agent/rule-view.ts'
import { problemsOf, reasonOf } from '../agent/rules.ts'
import { canonical } from '../core/event/json.ts'
import { messageOf } from '../errors.ts'
import { cut } from '../text/cut.ts'
import { prepare } from './candidates.ts'
import { escalate, turnsAllowed } from './escalate.ts'
import { finish } from './resume.ts'
import type { AgentRun } from './run.ts'
import { cancelled, GivenBack, type Stop } from './state.ts'
import { turn } from './turn.ts'

/** The same call with the same result, this often in a row, is a loop; so is a cycle of a few calls. */
const SAME_MAX = 3
/** The same call whatever comes of it: a result may hold a time of day, and be the same all the same. */
const SAME_CALL_MAX = 6
const CYCLE_CALLS_MAX = 3
const ERRORS_IN_A_ROW_MAX = 5
const CALL_CHARS_MAX = 300

/**
 * Runs an agent until it stops, whatever happens, and records why. Continues a log that was cut short; one whose
 * result was handed in stays as it is. One that is given back has no end: another machine goes on with it.
 */
export async function loop(run: AgentRun, signal: AbortSignal): Promise<Stop> {
  const { agent } = run.state()
  if (agent?.reason === 'submitted') return { reason: agent.reason, summary: agent.summary }
  let stop: Stop | undefined
  try {
    stop = run.memory.turn === 0 ? await prepare(run, signal) : await finish(run, signal)
    while (!stop) {
      stop = signal.aborted ? cancelled() : stuck(run)
      if (stop) stop = await escalate(run, stop, signal)
      stop ??= await turn(run, signal)
    }
  } catch (thrown) {
    stop = signal.aborted ? cancelled() : await crashed(run, messageOf(thrown))
  }
  if (signal.reason instanceof GivenBack) {
    await run.memory.flush()
    return cancelled(signal.reason.message)
  }
  try {
    await run.propose?.()
  } catch (thrown) {
    stop = await crashed(run, messageOf(thrown))
  }
  const view = ruleView(run.memory.state, run.state().calls)
  const why = stop.reason === 'submitted' ? reasonOf(run.failsWhen, view) : undefined
  stop = { ...stop, summary: run.memory.border.hide(why ?? stop.summary) }
  const problems = problemsOf(run.check, view)
  const counted = {
    ...(problems > 0 ? { problems } : {}),
    ...(why === undefined ? {} : { failed: true as const }),
  }
  await run.memory.record({ type: 'run_end', data: { ...stop, ...counted } })
  await run.memory.flush()
  return stop
}

/** Asked before each turn, so that no model call is made past a limit. */
function stuck(run: AgentRun): Stop | undefined {
  const turns = turnsAllowed(run)
  if (run.memory.turn >= turns) return { reason: 'turn_limit', summary: `${turns} turns without a result` }
  return repeating(run)
}

/** What is thrown here is no answer of a model or a tool, which are results, but a fault of our own. */
async function crashed({ memory }: AgentRun, message: string): Promise<Stop> {
  await memory.record({ type: 'agent_error', data: { where: 'run', message } })
  return { reason: 'crashed', summary: message }
}

/** A run that does the same again and again, or only fails: which calls these are, and what came of them. */
function repeating(run: AgentRun): Stop | undefined {
  const { calls, steps, errors_in_a_row } = run.state().recent
  if (errors_in_a_row >= ERRORS_IN_A_ROW_MAX)
    return {
      reason: 'loop',
      summary: `${errors_in_a_row} calls in a row failed, the last: ${lastCalls(run, 1)}`,
    }
  return cycle(run, steps, SAME_MAX, ' with the same result') ?? cycle(run, calls, SAME_CALL_MAX, '')
}

/** A few steps that came so often, one after the other, at the end. */
function cycle(run: AgentRun, steps: readonly string[], times: number, how: string): Stop | undefined {
  for (let length = 1; length <= CYCLE_CALLS_MAX; length++) {
    const tail = steps.slice(-length * times)
    if (tail.length < length * times || !tail.every((step, at) => step === tail[at % length])) continue
    const what = length === 1 ? 'the same call' : `the same ${length} calls`
    return { reason: 'loop', summary: `${what}${how} ${times} times in a row: ${lastCalls(run, length)}` }
  }
  return undefined
}

const lastCalls = ({ memory }: AgentRun, count: number): string =>
  memory.state.actions
    .slice(-count)
    .map(({ tool, args, summary }) => cut(`${tool} ${canonical(args)} → ${summary}`, CALL_CHARS_MAX))
    .join('; ')
