const DEFINING = new Set(
  `def class function func fn interface type const struct enum trait impl module package export async
   public private protected static pub abstract`.split(/\s+/),
)

/** Whether a line of code defines something that one may want to return to. */
export function isDefinition(line: string): boolean {
  let from = 0
  while (line.charCodeAt(from) === 32 || line.charCodeAt(from) === 9) from++
  let end = from
  while (line.charCodeAt(end) >= 97 && line.charCodeAt(end) <= 122) end++
  return line.charCodeAt(end) === 32 && DEFINING.has(line.slice(from, end))
}
