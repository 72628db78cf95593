/** The values of arguments as text; a parameter's name is not something the agent is about. */
export function valuesIn(args: unknown): string {
  if (typeof args === 'string') return args
  if (Array.isArray(args)) return args.map(valuesIn).join('\n')
  if (typeof args === 'object' && args !== null) return Object.values(args).map(valuesIn).join('\n')
  return args === null || args === undefined ? '' : String(args)
}
