import { TwotrackError } from '../../errors.ts'
import { isObject } from '../event/json.ts'

const shown = (given: unknown): string =>
  isObject(given)
    ? `an object with ${Object.keys(given).join(', ') || 'nothing in it'}`
    : (JSON.stringify(given) ?? String(given))

/** Callers whose types nobody checked are told what is missing before anything is read or written. */
export function assertStore(store: unknown, agentId: unknown): void {
  if (!isObject(store) || typeof store['head'] !== 'function' || typeof store['read'] !== 'function')
    throw new TwotrackError(
      'bad_argument',
      `A log needs a store (memoryStore(), jsonlStore({ folder }), kvStore({ file })); received ${shown(store)}.`,
    )
  if (typeof agentId !== 'string')
    throw new TwotrackError(
      'bad_argument',
      `A log needs the id of its agent, as text; received ${shown(agentId)}.`,
    )
}

/** A store in files is told where. */
export function assertPath(path: unknown, option: string): void {
  if (typeof path !== 'string' || path === '')
    throw new TwotrackError('bad_argument', `A store needs { ${option} }, as text; received ${shown(path)}.`)
}
