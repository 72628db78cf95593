import { type Json, tryParse } from '../../event/json.ts'

/** Bytes that are no text, or a value that a tool gave, as text. */
export function outputLines(raw: Json | Uint8Array): string {
  if (raw instanceof Uint8Array) return `[${raw.length.toLocaleString('en-US')} bytes that are no text]`
  if (typeof raw !== 'string') return JSON.stringify(raw, null, 2)
  return raw === 'null' ? '' : (spreadOut(raw) ?? raw)
}

/** JSON on one line, as a person would lay it out. */
function spreadOut(text: string): string | undefined {
  if (!/^[[{]/.test(text) || text.trimEnd().includes('\n')) return undefined
  const value = tryParse(text)
  return value === undefined ? undefined : JSON.stringify(value, null, 2)
}

/** A result that is only an error has no output of its own. */
export function withError(output: string, error: string | undefined): string {
  if (error === undefined || output.includes(error)) return output
  return output === '' ? error : `${output}\n${error}`
}

/** The first and last lines of a text; `\0` stands on a line of its own where lines are hidden. */
export function cutLines(text: string, linesMax: number): { shown: string; hidden: number } {
  const clean = text.replaceAll('\0', '␀')
  const lines = clean.trimEnd().split('\n')
  if (lines.length <= linesMax + 1) return { shown: clean.trimEnd(), hidden: 0 }
  const head = Math.ceil(linesMax * 0.6)
  const tail = linesMax - head
  const shown = [...lines.slice(0, head), '\0', ...(tail > 0 ? lines.slice(-tail) : [])].join('\n')
  return { shown, hidden: lines.length - linesMax }
}
