import { isObject, type JsonObject } from '../core/event/json.ts'
import { stepsOfMessage, stepsOfPart } from '../import/opencode-parts.ts'
import { personSteps } from '../import/trajectory.ts'
import type { Told } from './harness.ts'

/** What the plugin hands on: OpenCode's own events, with the session that a helper works for. */
export function toldByPlugin(payload: JsonObject): Told | undefined {
  const { session, parent, said, part, message } = payload
  if (typeof session !== 'string') return undefined
  const steps = [
    ...personSteps(typeof said === 'string' ? said : ''),
    ...(isObject(part) ? stepsOfPart(part, payload['summary'] === true) : []),
    ...(isObject(message) ? stepsOfMessage(message) : []),
  ]
  return typeof parent === 'string' ? { session: parent, helper: session, steps } : { session, steps }
}
