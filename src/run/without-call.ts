import { SUBMIT_TOOL } from '../agent/submit.ts'
import { isObject, type Json, tryParse } from '../event/json.ts'
import { execute } from './execute.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './stop.ts'

/** Answers in a row that called nothing before the run is given up. */
const SILENT_MAX = 3

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
    : { reason: 'model_failed', summary: `the model called no tool in ${silent_answers} answers in a row` }
}
