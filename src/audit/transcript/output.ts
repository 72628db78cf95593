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

/** The first and last lines of a text, and how many there are between. */
export function cutLines(text: string, linesMax: number): string {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= linesMax + 1) return lines.join('\n')
  const head = Math.ceil(linesMax * 0.6)
  const hidden = (lines.length - linesMax).toLocaleString('en-US')
  return lines.toSpliced(head, lines.length - linesMax, `⋮ ${hidden} more lines`).join('\n')
}
