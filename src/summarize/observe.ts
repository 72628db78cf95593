import type { Outcome } from '../event/delta.ts'
import { isObject, type Json } from '../event/json.ts'
import { readCall } from './call/call.ts'
import { unwrap } from './readable.ts'
import type { Observation } from './summarizer.ts'

/** A finished call before it is read. */
export type Seen = Omit<Observation, 'call' | 'shown' | 'exit'>

/** A finished call as summarizers see it: the call read, the output readable, the outcome by what both state. */
export function observe(seen: Seen): Observation {
  const { tool, args, text, output, outcome, error, turn } = seen
  const { text: shown, exit } = unwrap(text)
  return {
    tool,
    args,
    call: readCall(tool, args),
    text,
    shown,
    ...(exit === undefined ? {} : { exit }),
    ...(output === undefined ? {} : { output }),
    outcome: outcome === 'success' ? statedOutcome(output, exit) : outcome,
    ...(error === undefined ? {} : { error }),
    turn,
    // Choosing what a packet shows takes its time: only for those who ask.
    get packet() {
      return seen.packet
    },
  }
}

const EXIT = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status']

function statedOutcome(output: Json | undefined, exit: number | undefined): Outcome {
  if (exit !== undefined && exit !== 0) return 'error'
  if (!isObject(output)) return 'success'
  const failed =
    output['isError'] === true ||
    output['is_error'] === true ||
    output['success'] === false ||
    output['ok'] === false ||
    EXIT.some((name) => typeof output[name] === 'number' && output[name] !== 0)
  return failed ? 'error' : 'success'
}
