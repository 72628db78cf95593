import { tryParse } from '../event/json.ts'
import type { State } from './state.ts'

/** Changes whenever the fold or its state does: a snapshot of another version is not used. */
const FOLD_VERSION = 5

export const writeState = (state: State): string => JSON.stringify({ fold: FOLD_VERSION, state })

/** The state in a snapshot; undefined if another version of the fold wrote it. */
export function readState(text: string): State | undefined {
  const parsed = tryParse(text)
  if (typeof parsed !== 'object' || parsed === null || !('fold' in parsed) || !('state' in parsed))
    return undefined
  return parsed.fold === FOLD_VERSION ? (parsed.state as State) : undefined
}
