type Fields = Readonly<Record<string, unknown>>

/** The first of some fields that holds text: tools name the same thing in many ways. */
export const fieldText = (fields: Fields, names: readonly string[]): string | undefined =>
  names.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined

export const addressIn = (args: Fields): string | undefined =>
  Object.values(args).find(
    (value): value is string => typeof value === 'string' && /^https?:\/\/\S+$/.test(value),
  )

/** The first of some fields that holds a number of a line, a column or a count. */
export const fieldNumber = (fields: Fields, names: readonly string[]): number | undefined =>
  names.map((name) => fields[name]).find((value) => Number.isInteger(value) && Number(value) >= 0) as
    | number
    | undefined
