import { canonical } from '../event/json.ts'
import type { AgentOptions } from '../run/start.ts'
import { askYes } from './ask-yes.ts'
import { safe } from './output.ts'
import type { Progress } from './progress.ts'

/** Asks the person at the terminal about calls that an agent's policy names, one after the other; undefined without one. */
export function approveAt(progress: Progress): AgentOptions['approve'] {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  let before: Promise<unknown> = Promise.resolve()
  return (call, signal) => {
    const asked = before.then(async () => {
      progress.hold()
      const what = `${safe(call.agent_id)} wants to call ${safe(call.tool)} ${safe(canonical(call.args))}`
      try {
        return await askYes(`${what}\nMay it? [y/N] `, signal)
      } finally {
        progress.release()
      }
    })
    before = asked
    return asked
  }
}
