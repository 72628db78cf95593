/** A line chart as SVG: a few series over common x values, with a legend; no script, no font but the reader's. */
export interface Series {
  readonly name: string
  readonly points: readonly (readonly [number, number])[]
}

const WIDTH = 640
const HEIGHT = 360
const MARGIN = { left: 64, right: 150, top: 32, bottom: 48 }
const COLOURS = ['#0b6e99', '#c2410c', '#4d7c0f', '#7e22ce', '#525252']
const TICKS = 5

export function lineChart(title: string, xName: string, yName: string, series: readonly Series[]): string {
  const xs = series.flatMap(({ points }) => points.map(([x]) => x))
  const ys = series.flatMap(({ points }) => points.map(([, y]) => y))
  const xMax = Math.max(...xs)
  const yMax = roundUp(Math.max(...ys))
  const x = (value: number) => MARGIN.left + (value / xMax) * (WIDTH - MARGIN.left - MARGIN.right)
  const y = (value: number) => HEIGHT - MARGIN.bottom - (value / yMax) * (HEIGHT - MARGIN.top - MARGIN.bottom)
  const parts: string[] = []
  for (let tick = 0; tick <= TICKS; tick++) {
    const value = (yMax * tick) / TICKS
    const at = y(value).toFixed(1)
    parts.push(
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}" stroke="#ddd"/>`,
      text(MARGIN.left - 8, y(value) + 4, shown(value), 'end'),
      text(x((xMax * tick) / TICKS), HEIGHT - MARGIN.bottom + 18, shown((xMax * tick) / TICKS), 'middle'),
    )
  }
  for (const [at, { name, points }] of series.entries()) {
    const colour = COLOURS[at % COLOURS.length] ?? '#000'
    const path = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ')
    const row = MARGIN.top + 8 + at * 20
    parts.push(
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<rect x="${WIDTH - MARGIN.right + 14}" y="${row - 5}" width="14" height="4" fill="${colour}"/>`,
      text(WIDTH - MARGIN.right + 34, row + 2, name, 'start'),
    )
  }
  parts.push(
    text(WIDTH / 2 - 40, 18, title, 'middle'),
    text((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 8, xName, 'middle'),
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">${yName}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...parts,
    '</svg>\n',
  ].join('\n')
}

const text = (x: number, y: number, content: string, anchor: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${content}</text>`

const shown = (value: number): string =>
  value >= 10 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toFixed(2)))

/** The next 1, 2 or 5 times a power of ten, in steps that leave little empty. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((limit) => limit >= value) ?? value
}
