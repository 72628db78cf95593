/** A number of things, given as such or as their list. */
export function countOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
