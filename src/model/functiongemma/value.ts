import type { Json, JsonObject } from '../../event/json.ts'
import { withoutControlTokens } from '../../prompt/sanitize.ts'
import { ESCAPE } from '../gemma-notation/tokens.ts'

/**
 * A value in FunctionGemma's notation: strings between `<escape>`s, everything else bare, keys in order. A key
 * that could be mistaken for notation stands between `<escape>`s too, which the published template also does.
 */
function renderValue(value: Json): string {
  if (typeof value === 'string') return ESCAPE + withoutControlTokens(value) + ESCAPE
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(renderValue).join(',')}]`
  return renderObject(value)
}

export function renderObject(fields: JsonObject): string {
  const parts = Object.entries(fields)
    .sort(([a], [b]) => inOrder(a, b))
    .map(([key, value]) => `${renderKey(key)}:${renderValue(value)}`)
  return `{${parts.join(',')}}`
}

/** As the published template sorts: letters regardless of case, then by code unit. */
function inOrder(a: string, b: string): number {
  const [low, high] = [a.toLowerCase(), b.toLowerCase()]
  if (low !== high) return low < high ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

const renderKey = (key: string): string =>
  /^[A-Za-z_$][A-Za-z0-9_$.-]*$/.test(key) ? key : ESCAPE + withoutControlTokens(key) + ESCAPE
