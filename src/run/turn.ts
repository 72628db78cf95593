import { SUBMIT_TOOL } from '../agent/submit.ts'
import { isObject, type Json, tryParse } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { quoted } from '../text/lines.ts'
import { askModel } from './ask.ts'
import { pull, suggest } from './candidates.ts'
import { execute } from './execute.ts'
import { takeIn } from './inbox.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './state.ts'

/** Answers in a row that called nothing before the run is given up. */
const SILENT_MAX = 3
const SAID_CHARS_MAX = 200

/**
 * One turn. Every step is an event before it has an effect; those between two effects are written together:
 *
 *     turn_start
 *     ├─ person_message    what people said since the last turn
 *     ├─ hub_update        what the hub knows of the nodes in view, if it changed
 *     ├─ candidates        the candidate actions of the rules, if they changed
 *     ├─ model_request     the exact prompt
 *     ├─ model_response    text and calls
 *     ├─ tool_call         before the tool runs
 *     ├─ tool_result       raw output, and what the packet learned
 *     └─ candidates        what the rules say after that, if it changed
 */
export async function turn(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  await run.memory.startTurn()
  await takeIn(run)
  return decide(run, signal)
}

/** The part after turn_start; a resumed run begins here when its last turn has no answer yet. */
export async function decide(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  await pull(run, signal)
  await suggest(run)
  const answer = await askModel(run, signal)
  if ('reason' in answer) return answer
  if (answer.calls.length === 0) return withoutCall(run, answer.text, signal)
  for (const call of answer.calls) {
    const stop = await execute(run, call, signal)
    if (stop) return stop
  }
  // At once, so that what is seen of this turn does not still say what was true before its calls.
  await suggest(run)
  return undefined
}

/** The model called nothing. A JSON object that fits the result's schema counts as submitted; text is an error. */
export async function withoutCall(
  run: AgentRun,
  text: string,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  const { memory, tools } = run
  const value = tryParse(text.trim())
  const submit = tools.find(({ name }) => name === SUBMIT_TOOL)
  if (submit && isObject(value) && submit.check(value as Json).ok) {
    const call = { call_id: `text_${memory.turn}`, tool: SUBMIT_TOOL, args: value as Json }
    return execute(run, call, signal)
  }
  const message =
    'The answer called no tool. Call one of the tools; call submit_result when the work is done.'
  await memory.record({
    type: 'agent_error',
    data: { where: 'answer', message, code: 'no_call' },
    delta: { set_error: message },
  })
  const { silent_answers } = run.state()
  return silent_answers < SILENT_MAX
    ? undefined
    : {
        reason: 'model_failed',
        summary: `the model called no tool in ${silent_answers} answers in a row; it said: ${quoted(cut(text, SAID_CHARS_MAX))}`,
      }
}
