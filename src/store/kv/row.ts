import { TwotrackError } from '../../errors.ts'
import type { SqliteRow } from '../../files/sqlite.ts'

/** Columns are read by the type they must have: another type in a row is damage. */
export function text(row: SqliteRow, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw wrongType(column, 'text', value)
  return value
}

export function integer(row: SqliteRow, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw wrongType(column, 'an integer', value)
  return value
}

export function columnBytes(row: SqliteRow, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw wrongType(column, 'bytes', value)
  return value
}

const wrongType = (column: string, expected: string, value: unknown) =>
  new TwotrackError(
    'damaged',
    `A row has ${value === null ? 'nothing' : typeof value} in the column ${column}, which holds ${expected}.`,
  )
