/** What a check of a store found, and where: the path, key or log that a person can look at. */
export interface Finding {
  readonly level: 'error' | 'warning'
  readonly what: string
  readonly where: string
}

export const errorAt = (where: string, what: string): Finding => ({ level: 'error', what, where })
export const warningAt = (where: string, what: string): Finding => ({ level: 'warning', what, where })
