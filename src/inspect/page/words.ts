/** Numbers as people read them. */
export const number = (value: number): string => value.toLocaleString('en-US')

export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function ago(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1_000
  if (seconds < 60) return 'just now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  return new Date(time).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' })
}

export const counted = (items: number, name: string): string =>
  `${number(items)} ${name}${items === 1 ? '' : 's'}`

/** Turns as turnsText: `3–9, 12`. */
export function turnsText(turns: readonly number[]): string {
  const found: [number, number][] = []
  for (const turn of turns) {
    const last = found.at(-1)
    if (last && turn === last[1] + 1) last[1] = turn
    else found.push([turn, turn])
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ')
}
