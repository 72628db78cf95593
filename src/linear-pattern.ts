import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/**
 * A person's own pattern, matched in time that grows with the text alone: RegExp's `(a+)+$` would hang a run on the
 * text of a model. Loaded where there is a pattern: it takes 15 ms.
 */
export function linearPattern(text: string, flags = 0): RE2JS {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof import('re2js')
  // Its own syntax has other words for characters by number.
  return RE2JS.compile(RE2JS.translateRegExp(text), flags)
}
