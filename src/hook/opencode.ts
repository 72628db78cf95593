import { isObject } from '../core/event/json.ts'
import { stepsOfMessage, stepsOfPart } from '../import/opencode-parts.ts'
import { personSteps } from '../import/trajectory.ts'
import type { Harness, Told } from './harness.ts'

/** What the plugin hands on: OpenCode's own events, with the session that a helper works for. */
export const opencodeHook: Harness = {
  name: 'opencode',
  takes: { tokens: 3_000, chars: 20_000 },
  read(payload): Told | undefined {
    const { session, parent, said, part, message } = payload
    if (typeof session !== 'string') return undefined
    const steps = [
      ...personSteps(typeof said === 'string' ? said : ''),
      ...(isObject(part) ? stepsOfPart(part, payload['summary'] === true) : []),
      ...(isObject(message) ? stepsOfMessage(message) : []),
    ]
    return typeof parent === 'string' ? { session: parent, helper: session, steps } : { session, steps }
  },
}
