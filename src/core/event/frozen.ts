/** The same value, which nothing can write into any more: what is shown to others follows from the log alone. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const field of Object.values(value)) frozen(field)
  return value
}
