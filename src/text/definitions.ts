const DEFINING = new Set(
  `def class function func fn interface type const struct enum trait impl module package export async
   public private protected static pub abstract`.split(/\s+/),
)

/** Whether a line of code defines something that one may want to return to. */
export function isDefinition(text: string): boolean {
  const line = text.trimStart()
  const end = line.indexOf(' ')
  return end > 0 && DEFINING.has(line.slice(0, end))
}
