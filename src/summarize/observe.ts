import type { Outcome } from '../core/event/delta.ts'
import { defined, isObject, type Json, tryParse } from '../core/event/json.ts'
import type { FinishedCall } from '../core/memory/learner.ts'
import { readCall } from './call/call.ts'
import type { CallMeaning } from './call/intent.ts'
import { complaintIn } from './complaint.ts'
import { showsText } from './generic.ts'
import { exitOf, isStopped, type ProcessResult, processResult } from './process-result.ts'
import { unwrap } from './readable.ts'
import type { Observation } from './summarizer.ts'

/** A finished call as summarizers see it: the call read, the output readable, the outcome by what both state. */
export function observe(seen: FinishedCall): Observation {
  const { tool, args, output, outcome, error, turn, own } = seen
  const text = seen.shown ?? seen.text
  const call = readCall(tool, args)
  const ran =
    processResult(output) ?? (call.intent.kind === 'read' ? undefined : processResult(objectIn(text)))
  const unwrapped = unwrap(ran ? ran.text : text)
  const exit = ran?.exit ?? unwrapped.exit
  // Searchers end with 1 when they find nothing, and say so if it was something else.
  const foundNothing =
    call.intent.kind === 'search' && unwrapped.text === '' && (exit === undefined || exit === 1)
  const judged = outcome === 'success' ? statedOutcome(output, exit, ran) : outcome
  const stated = foundNothing ? 'success' : judged
  const failed =
    stated === 'success' && exit === undefined && (unwrapped.failed || complains(call, unwrapped.text))
  return {
    tool,
    args,
    call,
    text,
    // An error without a result says itself what there is to see.
    shown: unwrapped.text === 'null' && error !== undefined ? error : unwrapped.text,
    // What a program wrote is read as text, whatever it was wrapped in.
    ...defined({ own, exit, output: ran ? undefined : output, error, turn, state: seen.state }),
    outcome: failed ? 'error' : stated,
    // Choosing what a packet shows takes its time: only for those who ask.
    get packet() {
      return seen.packet
    },
  }
}

/** Whether all that came back is a complaint. Reading says itself what was not there. */
function complains(call: CallMeaning, shown: string): boolean {
  const { kind } = call.intent
  if (kind === 'read') return false
  if (kind !== 'run') return complaintIn(shown) !== undefined
  return !showsText({ call }) && complaintIn(shown, true) !== undefined
}

const OBJECT_CHARS_MAX = 5_000_000

/** Some harnesses give the result of a process as JSON text. */
const objectIn = (text: string): unknown =>
  text.length <= OBJECT_CHARS_MAX &&
  /^\s*\{/.test(text) &&
  /"(?:std_?err|(?:exit|return)_?(?:code|status))"/i.test(text)
    ? tryParse(text)
    : undefined

function statedOutcome(
  output: Json | undefined,
  exit: number | undefined,
  ran: ProcessResult | undefined,
): Outcome {
  if ((exit !== undefined && exit !== 0) || ran?.stopped) return 'error'
  // With an exit code of 0 the program went on in spite of it.
  if (ran?.complains) return exit === undefined ? 'error' : 'partial'
  if (ran || !isObject(output)) return 'success'
  const code = exitOf(output, false)
  const failed =
    ['isError', 'is_error'].some((name) => output[name] === true) ||
    ['success', 'ok'].some((name) => output[name] === false) ||
    (code !== undefined && code !== 0) ||
    isStopped(output) ||
    ['status', 'statusCode', 'status_code'].some((name) => isHttpFailure(output[name]))
  return failed ? 'error' : 'success'
}

const isHttpFailure = (status: unknown): boolean =>
  typeof status === 'number' && status >= 400 && status < 600
