import { isObject, type Json } from '../event/json.ts'

/**
 * The knowledge value that the bound can shorten line by line: what a thing is, and the lines of it that may
 * be needed. `[12, 'def run():']` is line 12 of the source; 0 stands for a line without a number.
 */
export interface Notes {
  readonly about: string
  readonly lines: readonly (readonly [number, string])[]
}

export const notes = (about: string, lines: Notes['lines'] = []): Json => ({
  about,
  lines: lines.map(([line, text]) => [line, text]),
})

export function isNotes(value: unknown): value is Notes & { [key: string]: Json } {
  if (!isObject(value) || typeof value['about'] !== 'string' || !Array.isArray(value['lines'])) return false
  if (Object.keys(value).length !== 2) return false
  return value['lines'].every(
    (line) =>
      Array.isArray(line) && line.length === 2 && typeof line[0] === 'number' && typeof line[1] === 'string',
  )
}
