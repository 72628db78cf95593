/** All values in something as text: the name of a parameter or a field is not what an agent is about. */
export function valuesIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) return Object.values(value).map(valuesIn).join('\n')
  return value === null || value === undefined ? '' : String(value)
}
