import type { JsonObject } from '../../event/json.ts'
import { sanitizeLine } from '../../prompt/sanitize.ts'
import { CALL, END_CALL } from '../gemma-notation/tokens.ts'
import { renderObject } from './value.ts'

/** A call as the model writes it. */
export const renderCall = (tool: string, args: JsonObject): string =>
  `${CALL}call:${sanitizeLine(tool)}${renderObject(args)}${END_CALL}`
